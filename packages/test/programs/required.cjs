const { sqlite } = require("@petstore/adapters/sqlite")
const { createPetstore, PetstoreError } = require("@petstore/core")
const { createHandler } = require("@petstore/http")
const { createClient } = require("@petstore/http/client")

const main = async () => {
  const petstore = await createPetstore({ storage: sqlite(process.argv[2]) })
  const handler = createHandler(petstore, { authenticate: () => ({ actor: "host", scopes: ["admin"] }) })
  const client = createClient({
    baseUrl: "http://localhost/v1",
    key: "none",
    fetch: (url, init) => handler.fetch(new Request(url, init))
  })
  const { name } = await client.categories.create({ name: "Cats" })
  const rejected = await client.pets.create({ name: "Tom", categoryId: 9 }).catch((error) => error)
  await handler.close()
  await petstore.close()
  console.log(JSON.stringify({ name, rejected: rejected instanceof PetstoreError && rejected.code }))
}

main()
