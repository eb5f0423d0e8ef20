import { describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import type { Scope } from "@petstore/core/domain"
import { createHandler } from "@petstore/http"
import * as Effect from "effect/Effect"
import { sendingBy } from "../../test/support/mounts.ts"
import { follow } from "../../test/support/transcript.ts"

/** A server with a pet and an order of a user, and a conversation with it. */
const shop = (text: string) =>
  Effect.gen(function* () {
    const petstore = yield* Effect.acquireRelease(
      Effect.promise(() => createPetstore()),
      (opened) => Effect.promise(() => opened.close())
    )
    yield* Effect.promise(async () => {
      const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
      await petstore.pets.create({ name: "Rex", categoryId })
      await petstore.as({ user: "ada" }).orders.place({ petId: 1 })
    })
    const sendWith = (scopes: ReadonlyArray<Scope>) =>
      sendingBy(createHandler(petstore, { authenticate: () => ({ actor: "user:7", scopes }) }).fetch)
    const [reader, clerk, admin, keeper] = [
      sendWith(["pets:read", "inventory:read", "orders:read"]),
      sendWith(["orders:read", "orders:owners"]),
      sendWith(["admin"]),
      sendWith(["pets:write"])
    ]
    yield* follow(reader, text, { admin, clerk, keeper })
  })

describe("records in resources over REST", () => {
  it.effect("given no include, then each body is the specified one, byte for byte", () =>
    shop(
      `keeper: PATCH /v1/pets/1/record {"externalId":"A/1"} -> 200
       GET /v1/pets -> 200 is [{"id":1,"name":"Rex","categoryId":1,"status":"pending"}]
       GET /v1/store/pets/1 -> 200 is {"id":1,"name":"Rex","categoryId":1,"status":"pending","inventory":{"petId":1,"quantity":1,"status":"pending","reserved":1,"available":0}}
       GET /v1/categories -> 200 is [{"id":1,"name":"Dogs"}]
       GET /v1/categories/1 -> 200 is {"id":1,"name":"Dogs"}
       GET /v1/store/orders -> 200 is [{"id":1,"petId":1,"quantity":1,"complete":false}]
       GET /v1/store/orders/1 -> 200 is {"id":1,"petId":1,"quantity":1,"complete":false}`
    )
  )

  it.effect("given a caller without orders:owners, then orders have records without owners", () => {
    const owner = '"owner":{"accountId":0,"user":"ada"}'
    return shop(
      ["/v1/store/orders/1?include=record", "/v1/store/orders?include=record"]
        .map(
          (path) =>
            `clerk: GET ${path} -> 200 ~${owner}
             admin: GET ${path} -> 200 ~${owner}
             GET ${path} -> 200 ~"state":"open"
             GET ${path} -> 200 no "owner"`
        )
        .join("\n")
    )
  })

  it.effect(
    "given the entity tag of a resource, then a read of it with its record is whole, and another one is not",
    () =>
      shop(
        `GET /v1/categories/1?include=record -> 200 [etag -> tag]
       GET /v1/categories/1 -> 200 [etag: {tag}]
       keeper: PATCH /v1/categories/1/record {"externalId":"A/1"} -> 200
       GET /v1/categories/1 [if-none-match: {tag}] -> 304
       GET /v1/categories/1?include=record [if-none-match: {tag}] -> 200 ~"externalId":"A/1"`
      )
  )
})
