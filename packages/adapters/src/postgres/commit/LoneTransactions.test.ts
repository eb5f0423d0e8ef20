import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Scripted, ScriptedConnection } from "../../../test/support/scriptedConnection.ts"
import { Asked, Changed, Claimed, first, type Program } from "../../sql/Program.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import type { Parameter, PostgresConnection, Result } from "../connection/PostgresConnection.ts"
import { appendEvents } from "../events/appendEvents.ts"
import { PostgresSql } from "../statements/PostgresSql.ts"
import { LoneTransactions } from "./LoneTransactions.ts"

const cut = () => new Error("Connection terminated unexpectedly")
const numbered: Scripted = { when: /petstore_log_end/, rows: [{ numbered: true }] }
const pending: Scripted = { when: /petstore_log_end/, rows: [{ numbered: false }] }
const event = { id: "evt_1", type: "pet.deleted", subject: "pets/1", timestamp: "", data: { id: 1 } } as const

/** A connection that is broken when a statement fails. All errors here are losses. */
class LosableConnection extends ScriptedConnection {
  override async query(text: string, values: ReadonlyArray<Parameter> = []): Promise<Result> {
    try {
      return await super.query(text, values)
    } catch (cause) {
      this.break()
      throw cause
    }
  }
}

/** Transactions on servers that follow scripts: the first connection the first, and so on. */
const harness = (...scripts: ReadonlyArray<ReadonlyArray<Scripted>>) => {
  const opened: Array<LosableConnection> = []
  const committed: Array<boolean> = []
  const sql = new PostgresSql("petstore", { execute: () => Effect.die("There are no reads") })
  const pool = {
    begin: "BEGIN",
    take: async () => {
      const connection = new LosableConnection(scripts[opened.length] ?? [numbered])
      opened.push(connection)
      // Transactions use only what the script has.
      return connection as unknown as PostgresConnection
    },
    give: () => {}
  } as unknown as ConnectionPool
  const transactions = new LoneTransactions(pool, 10_000, appendEvents("petstore"), {
    committed: (isNumbered) => committed.push(isNumbered),
    failed: () => {},
    retried: () => {}
  })
  const run = <A>(program: Program<A>) =>
    transactions.run(Context.empty(), (transaction) => sql.run(transaction, program))
  return { committed, opened, run }
}

const reading = new Asked(first("SELECT 1", () => undefined))
const claimingAndAppending: Program<void> = {
  *[Symbol.iterator]() {
    yield new Claimed("a name", [])
    yield appending
  }
}

const appending = new Changed([{ log: "events", rows: [event] }])

const commitIsLost: Scripted = { when: /^COMMIT/, error: cut() }

describe("a transaction of its own", () => {
  it.live("does not run again when the connection is lost after COMMIT was sent", () =>
    Effect.gen(function* () {
      const { opened, run } = harness([numbered, commitIsLost])
      assert.strictEqual((yield* Effect.flip(run(appending)))._tag, "CommitUnknown")
      assert.lengthOf(opened, 1)
    })
  )

  it.live("runs again on another connection when its own is lost before", () =>
    Effect.gen(function* () {
      const { committed, opened, run } = harness(
        [{ when: /try_advisory/, error: cut() }],
        [{ when: /try_advisory/, rows: [{ locked: true }] }, numbered]
      )
      yield* run(claimingAndAppending)
      assert.deepStrictEqual([opened.length, opened[1]?.matching(/^COMMIT/).length, committed], [2, 1, [true]])
    })
  )

  it.live("runs again when COMMIT is lost and it changed nothing", () =>
    Effect.gen(function* () {
      const { committed, opened, run } = harness([commitIsLost])
      yield* run(reading)
      assert.deepStrictEqual([opened.length, committed], [2, []])
    })
  )

  it.live("reports events that are left pending", () =>
    Effect.gen(function* () {
      const { committed, run } = harness([pending], [numbered])
      yield* run(appending)
      yield* run(appending)
      assert.deepStrictEqual(committed, [false, true])
    })
  )

  it.live("fails when COMMIT rolls back", () =>
    Effect.gen(function* () {
      const { committed, run } = harness([numbered, { when: /^COMMIT/, command: "ROLLBACK" }])
      assert.strictEqual((yield* Effect.flip(run(appending)))._tag, "InternalError")
      assert.deepStrictEqual(committed, [])
    })
  )
})
