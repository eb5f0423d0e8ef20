import * as forSale from "./app/for-sale/route.ts"
import * as api from "./app/petstore/[[...path]]/route.ts"
import { shop } from "./lib/petstore.ts"

const origin = "http://localhost:3000"

const post = (path: string, session: string, body: object) =>
  api.POST(
    new Request(origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: `session=${session}` },
      body: JSON.stringify(body)
    })
  )

const show = async (response: Response) => console.log(response.status, await response.text())

await show(await post("/petstore/v1/categories", "sara", { name: "Cats" }))
await show(await post("/petstore/v1/pets", "sara", { name: "Tom", categoryId: 1 }))
await show(await post("/petstore/v1/pets", "carl", { name: "Trojan", categoryId: 1 }))
await show(await api.GET(new Request(`${origin}/petstore/v1/pets`)))
await show(await forSale.GET())

const { close } = await shop()
await close()
