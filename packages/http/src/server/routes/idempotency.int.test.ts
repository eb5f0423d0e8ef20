import { assert, describe, it } from "@effect/vitest"
import { UseCaseRunner, useCases } from "@petstore/core/runtime"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { populate } from "../../../test/support/sampleStore.ts"
import { startServer } from "../../../test/support/TestServer.ts"
import { transcript } from "../../../test/support/transcript.ts"

/** A creation, the same in other words, and another one. */
const creations = [
  ["/v1/pets", '{"name":" Rex ","categoryId":1}', '{"categoryId":1,"name":"Rex"}', '{"name":"Max","categoryId":1}'],
  ["/v1/categories", '{"name":"Dogs"}', '{"name":" Dogs"}', '{"name":"Fish"}'],
  [
    "/v1/store/orders",
    '{"petId":2,"shipDate":"2026-05-04T09:30:00Z"}',
    '{"id":77,"shipDate":"2026-05-04T11:30:00+02:00","petId":2}',
    '{"petId":2,"quantity":2}'
  ],
  ["/v1/messages", '{"message":"Hi"}', '{"message":"Hi"}', '{"message":"Ho"}'],
  ["/v1/accounts", '{"name":"Vets"}', '{"name":"Vets "}', '{"name":"Zoo"}']
] as const

describe("an Idempotency-Key", () => {
  for (const [path, body, same, other] of creations) {
    const status = path === "/v1/messages" ? 202 : 201
    transcript(
      `given two creations at ${path}, then there is one effect, and the responses are the same to the byte`,
      `POST ${path} [idempotency-key: k] ${body} -> ${status} [idempotent-replayed: ] [location -> place] as first
       POST ${path} [idempotency-key: k] ${body} -> ${status} [idempotent-replayed: true] like first
       POST ${path} [idempotency-key: k] ${same} -> ${status} [idempotent-replayed: true] like first
       POST ${path} [idempotency-key: "k"] ${same} -> ${status} [idempotent-replayed: true] like first
       POST ${path} [idempotency-key: k] ${other} -> 422 {"code":"idempotency_key_reused"}
       POST ${path} [idempotency-key: other] ${other} -> ${status} [location -> new other] unlike first`
    )
  }

  transcript(
    "given two updates, then the responses are the same to the byte, and the second one is marked",
    `PATCH /v1/pets/1 [idempotency-key: abc] [if-match: "p1"] {"name":"Max"} -> 200 [idempotent-replayed: ] [etag: "p2"] as first
     PATCH /v1/pets/1 {"name":"Moritz"} -> 200
     PATCH /v1/pets/1 [idempotency-key: abc] [if-match: "p1"] {"name":" Max "} -> 200 [idempotent-replayed: true] like first
     PATCH /v1/pets/1 [idempotency-key: abc] [if-match: "p1"] {"name":"Moritz"} -> 422 {"code":"idempotency_key_reused"}
     PATCH /v1/pets/1 [idempotency-key: abc] [if-match: "p2"] {"name":"Max"} -> 422 {"code":"idempotency_key_reused"}
     PATCH /v1/pets/1 [idempotency-key: abc] [if-match: *] {"name":"Max"} -> 422 {"code":"idempotency_key_reused"}`
  )

  for (const path of ["{order}", "/v1/webhooks/1", "/v1/api-keys/2"]) {
    transcript(
      `given two deletions of ${path}, then the second one is a success too, and marked`,
      `POST /v1/store/orders {"petId":2} -> 201 [location -> order]
       DELETE ${path} [idempotency-key: k] -> 204 [idempotent-replayed: ] nothing
       DELETE ${path} [idempotency-key: k] -> 204 [idempotent-replayed: true] nothing
       DELETE ${path} [idempotency-key: another] -> 404 [idempotent-replayed: ] {"code":"not_found"}`
    )
  }

  transcript(
    "given an operation whose result holds a secret, which is not stored, then it is rejected",
    `POST /v1/api-keys [idempotency-key: abc] {"accountId":1,"name":"till","scopes":["pets:read"]} -> 400 {"code":"invalid_idempotency_key"}
     POST /v1/api-keys {"accountId":1,"name":"till","scopes":["pets:read"]} -> 201
     POST /v1/webhooks [idempotency-key: abc] {"url":"https://example.com/hook"} -> 400 {"code":"invalid_idempotency_key"}
     POST /v1/webhooks {"url":"https://example.com/hook"} -> 201`
  )

  transcript(
    "given an operation that takes none, then it is ignored",
    `GET /v1/pets [idempotency-key: not a key] -> 200
     PATCH /v1/webhooks/1 [idempotency-key: not a key] {"enabled":true} -> 200
     GET /v1/api-keys [idempotency-key: not a key] -> 200`
  )

  it.effect("given other API keys, then those of the account share it, and those of other accounts do not", () =>
    Effect.gen(function* () {
      const server = yield* Effect.tap(startServer(), populate)
      const { runtime, keyWith, send } = server
      const [one, two] = [yield* keyWith(["pets:write"]), yield* keyWith(["pets:write", "pets:read"])]
      const elsewhere = yield* Context.get(runtime, UseCaseRunner).call(useCases.accounts.create, { name: "Elsewhere" })
      const stranger = yield* Context.get(runtime, UseCaseRunner).call(useCases.apiKeys.create, {
        accountId: elsewhere.value.id,
        name: "till",
        scopes: ["pets:write"]
      })
      const create = (key: string) =>
        send("POST", "/v1/pets", { key, headers: { "idempotency-key": "abc" }, body: { name: "Rex", categoryId: 1 } })
      const first = yield* create(one)
      const again = yield* create(two)
      assert.deepStrictEqual([again.status, again.text], [first.status, first.text])
      const other = yield* create(stranger.key)
      assert.strictEqual(other.status, 201)
      assert.isFalse(other.headers.has("idempotent-replayed"))
      assert.notStrictEqual(other.text, first.text)
    })
  )
})
