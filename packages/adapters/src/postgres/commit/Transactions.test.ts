import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Scripted, ScriptedConnection } from "../../../test/support/scriptedConnection.ts"
import { Asked, Changed, Claimed, type Program } from "../../sql/Program.ts"
import { run as writing } from "../../sql/Statement.ts"
import type { ConnectionPool } from "../connection/ConnectionPool.ts"
import type { Parameter, PostgresConnection, Result } from "../connection/PostgresConnection.ts"
import { appendEvents } from "../events/appendEvents.ts"
import { PostgresSql } from "../statements/PostgresSql.ts"
import { BodyTransaction } from "./BodyTransaction.ts"
import { Transactions } from "./Transactions.ts"

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
  const transactions = new Transactions(pool, 10_000, appendEvents("petstore"), {
    committed: (isNumbered) => committed.push(isNumbered),
    failed: () => {},
    retried: () => {}
  })
  const asking = <A>(program: Program<A>) => sql.inTransaction(() => program)
  const appending = asking(new Changed([{ log: "events", rows: [event] }]))
  const updating = asking(new Asked(writing("UPDATE")))
  const locking = asking(new Claimed("a name", []))
  const part = <A, E>(body: Effect.Effect<A, E, Transaction>) =>
    Effect.flatMap(Effect.context<Transaction>(), (context) =>
      sql.transactions.require(context).runPart(Context.empty(), body)
    )
  const run = <A, E>(body: Effect.Effect<A, E, Transaction>) =>
    transactions.run(Context.empty(), (transaction) =>
      new BodyTransaction(transaction, sql).start(Context.empty(), body)
    )
  return { committed, locking, opened, part, run, updating, writing: appending }
}

const commitIsLost: Scripted = { when: /^COMMIT/, error: cut() }

describe("a transaction of its own", () => {
  it.live("does not run again when the connection is lost after COMMIT was sent", () =>
    Effect.gen(function* () {
      const { opened, run, writing } = harness([numbered, commitIsLost])
      assert.strictEqual((yield* Effect.flip(run(writing)))._tag, "CommitUnknown")
      assert.lengthOf(opened, 1)
    })
  )

  it.live("runs again on another connection when its own is lost before", () =>
    Effect.gen(function* () {
      const { committed, opened, run, locking, writing } = harness(
        [{ when: /try_advisory/, error: cut() }],
        [{ when: /try_advisory/, rows: [{ locked: true }] }, numbered]
      )
      yield* run(Effect.andThen(locking, writing))
      assert.deepStrictEqual([opened.length, opened[1]?.matching(/^COMMIT/).length, committed], [2, 1, [true]])
    })
  )

  it.live("runs again when COMMIT is lost and it changed nothing, also if a part of it did and failed", () =>
    Effect.gen(function* () {
      const { committed, opened, part, run, updating, writing } = harness([commitIsLost])
      yield* run(Effect.exit(part(Effect.andThen(Effect.andThen(writing, updating), Effect.fail("no")))))
      assert.deepStrictEqual([opened.length, committed], [2, []])
    })
  )

  it.live("reports events that are left pending", () =>
    Effect.gen(function* () {
      const { committed, run, writing } = harness([pending], [numbered])
      yield* run(writing)
      yield* run(writing)
      assert.deepStrictEqual(committed, [false, true])
    })
  )

  it.live("fails when COMMIT rolls back", () =>
    Effect.gen(function* () {
      const { committed, run, writing } = harness([numbered, { when: /^COMMIT/, command: "ROLLBACK" }])
      assert.strictEqual((yield* Effect.flip(run(writing)))._tag, "InternalError")
      assert.deepStrictEqual(committed, [])
    })
  )
})
