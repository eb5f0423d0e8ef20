import { assert, describe, it } from "@effect/vitest"
import { createHandler } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import { testPetstore } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { sendingBy } from "../../test/support/mounts.ts"
import { follow } from "../../test/support/transcript.ts"

/** A server with three pets, of which the second changed last, and when that was. */
const shop = Effect.acquireRelease(
  Effect.promise(async () => {
    const petstore = await testPetstore({ indexes: ["pets.createdAt", "pets.updatedAt", "pets.metadata.chip"] })
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    await petstore.pets.createAll(["Rex", "Max", "Ben"].map((name) => ({ name, categoryId })))
    await petstore.clock.advance("1 minute")
    const { updatedAt } = await petstore.records.update("pets", 2, { metadata: { chip: "a=b & c" } })
    const handler = createHandler(petstore, { authenticate: () => ({ actor: "user:7", scopes: ["pets:read"] }) })
    return { handler, petstore, updatedAt, send: sendingBy(handler.fetch) }
  }),
  ({ handler, petstore }) => Effect.promise(() => handler.close().then(() => petstore.close()))
)

describe("lists by times and metadata over REST", () => {
  it.effect("given their indexes, then lists are sorted and filtered by times, in pages that are linked", () =>
    Effect.gen(function* () {
      const { send, updatedAt } = yield* shop
      yield* follow(
        send,
        `GET /v1/pets?sort=-updatedAt -> 200 ids 2 3 1
         GET /v1/pets?updatedAfter=${updatedAt} -> 200 ids
         GET /v1/pets?createdAfter=2020-01-01T00:00:00%2B02:00&limit=2&count=true -> 200 [total-count: 3] [link -> next] ids 1 2
         GET {next} -> 200 [total-count: 3] ids 3`
      )
    })
  )

  it.effect("given a key and a value of metadata, then the value may have any characters", () =>
    Effect.gen(function* () {
      const { send } = yield* shop
      const wrong = ["chip", "=x", "1=x", "chip="]
      yield* follow(
        send,
        `GET /v1/pets?metadata=${encodeURIComponent("chip=a=b & c")} -> 200 ids 2
         GET /v1/pets?metadata=${encodeURIComponent("chip=a=b & c")}&include=record -> 200 ~"metadata":{"chip":"a=b & c"}
         ${wrong
           .map((metadata) => `GET /v1/pets?metadata=${encodeURIComponent(metadata)} -> 400 ~"path":"/query/metadata`)
           .join("\n")}`
      )
    })
  )

  it.effect("given a client, then its lists take the same filters, and fail with the same error", () =>
    Effect.gen(function* () {
      const { handler } = yield* shop
      const fetch = (input: string, init: RequestInit) => handler.fetch(new Request(input, init))
      const client = createClient({ baseUrl: "http://pets.example/v1", key: "psk_1_key", fetch })
      yield* Effect.promise(async () => {
        const idsOf = async (query: Parameters<typeof client.pets.list>[0]) =>
          (await client.pets.list(query)).items.map(({ id }) => id)
        assert.deepStrictEqual(await idsOf({ metadata: { key: "chip", value: "a=b & c" } }), [2])
        assert.deepStrictEqual(await idsOf({ sort: "-createdAt", limit: 1 }), [3])
        const error = await client.categories.list({ sort: "createdAt" }).catch((thrown: unknown) => thrown)
        assert.deepInclude(error, { code: "not_indexed", status: 400, details: { name: "categories.createdAt" } })
      })
    })
  )
})
