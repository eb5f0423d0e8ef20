import { postgres } from "@petstore/adapters/postgres"
import { createPetstore } from "@petstore/core"
import { story } from "./story.ts"

const storage = postgres(process.argv[2] ?? "")
const storyResult = await story({ storage })
const petstore = await createPetstore({ storage })
const { items } = await petstore.orders.list()
await petstore.close()
console.log(JSON.stringify({ ...storyResult, kept: items.length }))
