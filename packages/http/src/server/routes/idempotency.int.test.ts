import { assert, describe, it } from "@effect/vitest"
import { UseCaseRunner, useCases } from "@petstore/core/services"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { populate } from "../../../test/support/sampleStore.ts"
import { type Reply, startServer } from "../../../test/support/TestServer.ts"

const populated = Effect.tap(startServer(), populate)

const keyed = (key: string, body: unknown) => ({ body, headers: { "idempotency-key": key } })

/** All of a response that must be the same each time. */
const essence = ({ headers, status, text }: Reply) => ({
  status,
  text,
  etag: headers.get("etag"),
  location: headers.get("location")
})

const creations: Readonly<Record<string, { readonly body: unknown; readonly same: unknown; readonly other: unknown }>> =
  {
    "/v1/pets": {
      body: { name: " Rex ", categoryId: 1 },
      same: { categoryId: 1, name: "Rex" },
      other: { name: "Max", categoryId: 1 }
    },
    "/v1/categories": { body: { name: "Dogs" }, same: { name: " Dogs" }, other: { name: "Fish" } },
    "/v1/store/orders": {
      body: { petId: 2, shipDate: "2026-05-04T09:30:00Z" },
      same: { id: 77, shipDate: "2026-05-04T11:30:00+02:00", petId: 2 },
      other: { petId: 2, quantity: 2 }
    },
    "/v1/messages": { body: { message: "Hi" }, same: { message: "Hi" }, other: { message: "Ho" } },
    "/v1/accounts": { body: { name: "Vets" }, same: { name: "Vets " }, other: { name: "Zoo" } }
  }

describe("an Idempotency-Key", () => {
  it.effect("given two creations, then there is one effect, and the responses are the same to the byte", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      for (const [path, { body, other, same }] of Object.entries(creations)) {
        const first = yield* send("POST", path, keyed(path, body))
        assert.isFalse(first.headers.has("idempotent-replayed"))
        for (const [key, repeated] of [
          [path, body],
          [path, same],
          [`"${path}"`, same]
        ] as const) {
          const again = yield* send("POST", path, keyed(key, repeated))
          assert.deepStrictEqual(essence(again), essence(first), path)
          assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        }
        const reused = yield* send("POST", path, keyed(path, other))
        assert.deepInclude(reused.body, { code: "idempotency_key_reused", status: 422 })
        const fresh = yield* send("POST", path, keyed(`${path}/other`, other))
        assert.strictEqual(fresh.status, first.status)
        assert.notStrictEqual(fresh.headers.get("location"), first.headers.get("location"))
      }
    })
  )

  it.effect("given two updates, then the responses are the same to the byte, and the second one is marked", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      const update = (name: string, tag = '"p1"') =>
        send("PATCH", "/v1/pets/1", { body: { name }, headers: { "idempotency-key": "abc", "if-match": tag } })
      const first = yield* update("Max")
      yield* send("PATCH", "/v1/pets/1", { body: { name: "Moritz" } })
      const again = yield* update(" Max ")
      assert.deepStrictEqual(essence(again), essence(first))
      assert.deepStrictEqual([first.status, first.headers.get("etag")], [200, '"p2"'])
      assert.deepStrictEqual(
        [first, again].map(({ headers }) => headers.get("idempotent-replayed")),
        [null, "true"]
      )
      const others = [yield* update("Moritz"), yield* update("Max", '"p2"'), yield* update("Max", "*")]
      assert.deepStrictEqual(
        others.map(({ body }) => (body as { readonly code: string }).code),
        ["idempotency_key_reused", "idempotency_key_reused", "idempotency_key_reused"]
      )
    })
  )

  it.effect("given two deletions, then the second one is a success too, and marked", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      const order = yield* send("POST", "/v1/store/orders", { body: { petId: 2 } })
      for (const path of [order.headers.get("location") ?? "", "/v1/webhooks/1", "/v1/api-keys/2"]) {
        const remove = (key: string) => send("DELETE", path, { headers: { "idempotency-key": key } })
        const replies = [yield* remove(path), yield* remove(path), yield* remove("another")]
        assert.deepStrictEqual(
          replies.map(({ headers, status, text }) => [status, headers.get("idempotent-replayed"), text === ""]),
          [
            [204, null, true],
            [204, "true", true],
            [404, null, false]
          ],
          path
        )
      }
    })
  )

  it.effect("given other API keys, then those of the account share it, and those of other accounts do not", () =>
    Effect.gen(function* () {
      const server = yield* populated
      const { engine, keyWith, send } = server
      const [one, two] = [yield* keyWith(["pets:write"]), yield* keyWith(["pets:write", "pets:read"])]
      const elsewhere = yield* Context.get(engine, UseCaseRunner).call(useCases.accounts.create, { name: "Elsewhere" })
      const stranger = yield* Context.get(engine, UseCaseRunner).call(useCases.apiKeys.create, {
        accountId: elsewhere.value.id,
        name: "till",
        scopes: ["pets:write"]
      })
      const create = (key: string) => send("POST", "/v1/pets", { key, ...keyed("abc", { name: "Rex", categoryId: 1 }) })
      const first = yield* create(one)
      assert.deepStrictEqual(essence(yield* create(two)), essence(first))
      const other = yield* create(stranger.key)
      assert.strictEqual(other.status, 201)
      assert.isFalse(other.headers.has("idempotent-replayed"))
      assert.notStrictEqual(other.text, first.text)
    })
  )

  it.effect("given an operation whose result holds a secret, which is not stored, then it is rejected", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      for (const [path, body] of [
        ["/v1/api-keys", { accountId: 1, name: "till", scopes: ["pets:read"] }],
        ["/v1/webhooks", { url: "https://example.com/hook" }]
      ] as const) {
        const reply = yield* send("POST", path, keyed("abc", body))
        assert.deepInclude(reply.body, { code: "invalid_idempotency_key", status: 400 }, path)
        assert.strictEqual((yield* send("POST", path, { body })).status, 201, path)
      }
    })
  )

  it.effect("given an operation that takes none, then it is ignored", () =>
    Effect.gen(function* () {
      const { send } = yield* populated
      const headers = { "idempotency-key": "not a key" }
      assert.strictEqual((yield* send("GET", "/v1/pets", { headers })).status, 200)
      assert.strictEqual((yield* send("PATCH", "/v1/webhooks/1", { body: { enabled: true }, headers })).status, 200)
      assert.strictEqual((yield* send("GET", "/v1/api-keys", { headers })).status, 200)
    })
  )
})
