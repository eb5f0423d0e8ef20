import { assert, describe, it } from "@effect/vitest"
import type { Petstore } from "@petstore/core/effect"
import { type ClientError, HttpPetstore } from "@petstore/http/client"
import { aPet } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { json, type Reply, refusal, script } from "../../test/support/scriptedFetch.ts"

type OwnersOnly =
  | "as"
  | "events"
  | "encryptSecrets"
  | "once"
  | "recordVerification"
  | "retention"
  | "stats"
  | "verify"
  | "backup"
  | "transaction"
  | "within"

type MethodOverHttp<Method> = Method extends (...input: infer Input) => Stream.Stream<infer A, infer _E>
  ? (...input: Input) => Stream.Stream<A, ClientError>
  : Method extends (...input: infer Input) => Effect.Effect<infer A, infer _E>
    ? (...input: Input) => Effect.Effect<A, ClientError>
    : never

type OverHttp<Methods> = { readonly [Name in keyof Methods]: MethodOverHttp<Methods[Name]> }

/** What the petstore in process can do, but for its owner's part, with the errors of a client. */
type Expected = {
  readonly [Group in Exclude<keyof Petstore["Service"], OwnersOnly>]: OverHttp<Petstore["Service"][Group]>
}

const withReplies =
  (replies: ReadonlyArray<Reply>) =>
  <A, E>(effect: Effect.Effect<A, E, HttpPetstore>): Effect.Effect<A, E> =>
    Effect.provide(
      effect,
      HttpPetstore.layer({ baseUrl: "http://pets.example/v1", key: "psk_1", retries: 0, fetch: script(replies).fetch })
    )

const pet = (id: number) => aPet({ id, name: `Rex ${id}` })

describe("the petstore over HTTP for users of Effect", () => {
  it.effect("given the methods of an in-process petstore, then it has each of them, with the same inputs", () =>
    Effect.gen(function* () {
      const petstore: Expected = yield* HttpPetstore
      assert.sameMembers(Object.keys(petstore), [
        ...[
          "pets",
          "categories",
          "inventory",
          "orders",
          "records",
          "messages",
          "events",
          "accounts",
          "apiKeys",
          "webhooks",
          "deliveries",
          "session",
          "stats",
          "statsHistory"
        ]
      ])
    }).pipe(withReplies([]))
  )

  it.effect("given a PetstoreError, when it is caught by its tag, then its details have their types", () =>
    Effect.gen(function* () {
      const { orders } = yield* HttpPetstore
      const left = yield* orders.place({ petId: 7, quantity: 3 }).pipe(
        Effect.as("placed"),
        Effect.catchTag("InsufficientStock", ({ details }) => Effect.succeed(`${details.available} left`))
      )
      assert.strictEqual(left, "2 left")
    }).pipe(withReplies([refusal("insufficient_stock", { petId: 7, requested: 3, available: 2 })]))
  )

  it.effect("given a list in pages, when it is streamed, then no more pages are read than are taken", () =>
    Effect.gen(function* () {
      const page = (id: number, next: string) => json(200, [pet(id)], { Link: `</v1/pets?cursor=${next}>; rel="next"` })
      const { fetch, sent } = script([page(1, "a"), page(2, "b"), page(3, "c")])
      const layer = HttpPetstore.layer({ baseUrl: "http://pets.example/v1", key: "psk_1", fetch })
      const taken = yield* Effect.gen(function* () {
        const { pets } = yield* HttpPetstore
        return yield* Stream.runCollect(Stream.take(pets.all({ status: "available" }), 2))
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(taken, [pet(1), pet(2)])
      assert.strictEqual(sent.length, 2)
    })
  )

  it.effect("given a stock ledger, when it is streamed, then it is read to its end", () =>
    Effect.gen(function* () {
      const movement = {
        ...{ petId: 7, seq: 1, kind: "initial", deltaOnHand: 1, deltaReserved: 0 },
        ...{ actor: "owner", at: "2026-05-04T09:30:00.000Z" }
      }
      const { inventory } = yield* HttpPetstore.pipe(withReplies([json(200, [movement])]))
      assert.deepStrictEqual(yield* Stream.runCollect(inventory.allMovements(7)), [movement])
    })
  )
})
