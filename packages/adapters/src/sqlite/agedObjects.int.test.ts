import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sourceCommandOf, startCommand } from "../../test/support/program.ts"
import { temporaryFileInMemory } from "../../test/support/temporary.ts"

// Once many objects of a literal have lived long, V8 makes all others as long-lived ones, which keep alive whatever they lead to: that
// took a tenth of the time of orders. It does so for the sources and the packages, but not for a program in one file.
describe("given a store to which one command has added many pets", () => {
  it.effect("when it is used, then V8 takes few bytes of an order, and of a transaction, for long-lived", () =>
    Effect.gen(function* () {
      const program = yield* startCommand(sourceCommandOf("age-objects", yield* temporaryFileInMemory))
      const [order, transaction] = (yield* program.rest).map(Number)
      assert.isBelow(order ?? Number.NaN, 600)
      assert.isBelow(transaction ?? Number.NaN, 1_300)
    })
  )
})
