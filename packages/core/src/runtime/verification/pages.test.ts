import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { eachPage, eachRow } from "./pages.ts"

const fetch = (after: number) => Effect.succeed(after < 5 ? [after + 1] : [])
const identity = (row: number) => row

describe("given a table of several pages", () => {
  const readers = {
    "by pages": eachPage(fetch, 0, identity, () => Effect.void),
    "by rows": eachRow(
      fetch,
      0,
      identity,
      () => true,
      () => {}
    )
  }
  for (const [name, read] of Object.entries(readers)) {
    it.effect(`when it is read ${name}, then others get their turn meanwhile`, () =>
      Effect.gen(function* () {
        let turns = 0
        const other = Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow
          )
        )
        yield* Effect.forkChild(other)
        yield* read
        assert.isAbove(turns, 1)
      })
    )
  }
})
