import { assert, describe, it } from "@effect/vitest"
import { OpenTransactions, TransactionCounts } from "@petstore/core/adapter-toolkit"
import { StorageBusy } from "@petstore/core/domain"
import { OnTransactionStart, type Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { ScriptedConnection } from "../../../../test/support/scriptedConnection.ts"
import type { PostgresConnection } from "../../connection/PostgresConnection.ts"
import { appendEvents } from "../../events/appendEvents.ts"
import type { PostgresTransaction } from "../../statements/Statement.ts"
import { ContendedRows } from "./ContendedRows.ts"
import { GroupCommit } from "./GroupCommit.ts"
import { GroupStatements } from "./GroupStatements.ts"
import { IdBlock } from "./NewIds.ts"

interface Harness {
  /** How many connections groups took, one each. */
  taken: number
  /** How many transactions ran alone. */
  alone: number
}

const harness = (take?: () => Promise<never>) => {
  const seen: Harness = { taken: 0, alone: 0 }
  const transactions = new OpenTransactions<PostgresTransaction>()
  const groups = new GroupCommit({
    transactions,
    statements: new GroupStatements("petstore"),
    ids: { orders: new IdBlock(), pets: new IdBlock() },
    contended: new ContendedRows(),
    appendEvents: appendEvents("petstore"),
    begin: "BEGIN",
    counts: new TransactionCounts(),
    parallel: 1,
    timeout: 10_000,
    pool: {
      take:
        take ??
        (async () => {
          seen.taken++
          // A group uses only what the script has.
          return new ScriptedConnection([]) as unknown as PostgresConnection
        }),
      give: () => {}
    },
    alone: () => {
      seen.alone++
      return Effect.interrupt
    },
    committed: () => {},
    failed: () => {}
  })
  const run = <A, E>(body: Effect.Effect<A, E, Transaction>, command?: Parameters<GroupCommit["run"]>[2]) =>
    groups.run(Context.empty(), body, command)
  /** Does what groups cannot do. */
  const irregular = Effect.flatMap(Effect.context<Transaction>(), (context) =>
    transactions.require(context).claim("a name")
  )
  return { groups, irregular, run, seen }
}

describe("the queue of groups", () => {
  it.effect("transactions that arrive together form groups of at most 128", () =>
    Effect.gen(function* () {
      const { run, seen } = harness()
      const results = yield* Effect.forEach(
        Array.from({ length: 260 }, (_, index) => index),
        (index) => run(Effect.succeed(index)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results, [...results.keys()])
      assert.strictEqual(seen.taken, 3)
    })
  )

  it.effect("a command that did something irregular runs alone at once from then on", () =>
    Effect.gen(function* () {
      const { irregular, run, seen } = harness()
      const categories = () => Effect.exit(run(irregular, "categories.create"))
      assert.deepStrictEqual([yield* categories(), yield* categories()].map(Exit.hasInterrupts), [true, true])
      assert.deepStrictEqual([seen.taken, seen.alone], [1, 2])
      assert.strictEqual(yield* run(Effect.succeed("grouped"), "orders.place"), "grouped")
    })
  )

  it.effect("a transaction whose caller is interrupted in the queue never starts", () =>
    Effect.gen(function* () {
      const { run, seen } = harness()
      let started = 0
      const body = Effect.sync(() => started++)
      const fiber = yield* Effect.forkChild(run(body), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* run(Effect.void)
      assert.deepStrictEqual([started, seen.taken], [0, 1])
    })
  )

  it.effect("a body announces that it starts", () =>
    Effect.gen(function* () {
      const { groups } = harness()
      let starts = 0
      yield* groups.run(
        Context.make(OnTransactionStart, () => starts++),
        Effect.void,
        undefined
      )
      assert.strictEqual(starts, 1)
    })
  )

  it.effect("when no connection is free, every transaction of the group fails with the reason", () =>
    Effect.gen(function* () {
      const { run } = harness(() => Promise.reject(new StorageBusy({})))
      const exits = yield* Effect.all([run(Effect.void), run(Effect.void)].map(Effect.exit), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(exits.map(Exit.isFailure), [true, true])
      assert.strictEqual((yield* Effect.flip(run(Effect.void)))._tag, "StorageBusy")
    })
  )

  it.effect("after closing, transactions that wait return their results, and new ones are refused", () =>
    Effect.gen(function* () {
      const { groups, run } = harness()
      const waiting = yield* Effect.forkChild(run(Effect.succeed("done")), { startImmediately: true })
      yield* groups.close
      assert.strictEqual(yield* Fiber.join(waiting), "done")
      assert.strictEqual((yield* Effect.flip(run(Effect.void)))._tag, "ShuttingDown")
    })
  )
})
