import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { query, testDatabase } from "./testDatabase.ts"

const rows = (url: string, text: string) => Effect.promise(() => query(url, text))

describe("given the server that the tests share", () => {
  const reason = process.env.PETSTORE_TEST_POSTGRES_URL ? " (skipped: PETSTORE_TEST_POSTGRES_URL names the server)" : ""
  it.effect.skipIf(reason !== "")(`when text is compared, then it is by the rules of a language${reason}`, () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      expect(yield* rows(url, "SELECT 'a' < 'B' AS sorted, 'a' < 'B' COLLATE \"C\" AS bytes")).toEqual([
        { sorted: true, bytes: false }
      ])
    })
  )
})
