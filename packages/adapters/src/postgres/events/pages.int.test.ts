import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { session } from "../../../test/support/postgres/sessions.ts"
import { testDatabase } from "../../../test/support/postgres.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import type { Parameter } from "../connection/PostgresConnection.ts"
import { PostgresSql } from "../statements/PostgresSql.ts"
import type { Statement } from "../statements/Statement.ts"
import { EventLog } from "./EventLog.ts"

/** The statement that reads a page, as the log sends it. */
const statementOfPage = (after: number, limit: number) =>
  Effect.gen(function* () {
    const sent: Array<{ readonly text: string; readonly values: ReadonlyArray<Parameter> }> = []
    const execute = <A>({ decode, text }: Statement<A>, values: ReadonlyArray<Parameter>) =>
      Effect.sync(() => {
        sent.push({ text, values })
        return decode({ rows: [], count: 0, command: "" })
      })
    const noConnections = {} as ConnectionPool
    const log = new EventLog("petstore", new PostgresSql("petstore", { execute }), noConnections, 1_000, {
      onNumbered: () => {},
      mayWrite: async () => true
    })
    yield* log.rows.scan(after, limit)
    const [statement] = sent
    if (statement === undefined || sent.length !== 1) throw new Error("A page is read by one statement")
    return statement
  })

describe("given a schema that this release may not write to", () => {
  it.effect("when events are pending, then a reader has what has a number, and numbers nothing", () =>
    Effect.gen(function* () {
      let read = 0
      const execute = <A>({ decode }: Statement<A>) =>
        Effect.sync(() => {
          read++
          return decode({ rows: [{ last: "3", pending: true }], count: 1, command: "" })
        })
      const pool = {
        use: () => Promise.reject(new Error("It was numbered"))
      } as unknown as ConnectionPool
      const log = new EventLog("petstore", new PostgresSql("petstore", { execute }), pool, 1_000, {
        onNumbered: () => assert.fail("It was numbered"),
        mayWrite: async () => false
      })
      assert.strictEqual(yield* log.rows.latest, 3)
      assert.strictEqual(read, 2)
    })
  )
})

interface Step {
  readonly "Relation Name"?: string
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<Step>
}

/** How often a plan scanned each table. */
const scansOf = (step: Step): Readonly<Record<string, number>> => ({
  ...Object.assign({}, ...(step.Plans ?? []).map(scansOf)),
  ...(step["Relation Name"] === undefined ? {} : { [step["Relation Name"]]: step["Actual Loops"] })
})

describe("given a log with events", () => {
  for (const [limit, pending] of [
    [2, 0],
    [20, 1]
  ] as const) {
    it.live(
      `when a reader has ${pending === 0 ? "more to read" : "come to its end"}, then pending events are looked up ${pending} times`,
      () =>
        Effect.gen(function* () {
          const url = yield* testDatabase
          const petstore = yield* openPostgres(url)
          yield* Effect.promise(async () => {
            for (const name of ["Dogs", "Cats", "Birds"]) await petstore.categories.create({ name })
          })
          const client = yield* session(url)
          const { text, values } = yield* statementOfPage(0, limit)
          yield* Effect.promise(async () => {
            const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values])
            const scans = scansOf(rows[0]["QUERY PLAN"][0].Plan)
            assert.deepStrictEqual(scans, { petstore_events: 1, petstore_pending: pending })
            const page = await client.query(text, [...values])
            assert.strictEqual(page.rows.length, Math.min(limit, 3))
            assert.isTrue(page.rows.every((row) => row.pending === false))
          })
        })
    )
  }
})
