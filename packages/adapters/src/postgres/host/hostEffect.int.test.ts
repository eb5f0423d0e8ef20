import { assert, describe, it } from "@effect/vitest"
import { Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type HostedPetstore, hostEffectCases, namesOf } from "../../../test/support/hostEffectCases.ts"
import { session } from "../../../test/support/postgres/sessions.ts"
import { testDatabase } from "../../../test/support/postgres.ts"
import { postgres } from "../postgres.ts"

const inShop = <E>(body: (hosted: HostedPetstore) => Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    const url = yield* testDatabase
    const client = yield* session(url)
    yield* Effect.gen(function* () {
      const petstore = yield* Petstore
      yield* body({ petstore, transaction: client, run: (sql) => Effect.promise(() => client.query(sql)) })
      assert.isTrue((yield* petstore.verify).ok)
    }).pipe(Effect.provide(Petstore.layer(postgres(url))))
  })

describe("given the petstore of Effect on PostgreSQL", () => {
  hostEffectCases(inShop)

  it.effect("when a program is interrupted before it writes, then nothing of it is there, and the next one works", () =>
    inShop(({ petstore, run, transaction }) =>
      Effect.gen(function* () {
        const { categories, within } = petstore
        yield* run("BEGIN")
        const fiber = yield* Effect.forkDetach(within(transaction)(categories.create({ name: "Cats" })), {
          startImmediately: true
        })
        yield* Fiber.interrupt(fiber)
        yield* within(transaction)(categories.create({ name: "Dogs" }))
        yield* run("COMMIT")
        assert.deepStrictEqual(yield* namesOf(petstore), ["Dogs"])
      })
    )
  )
})
