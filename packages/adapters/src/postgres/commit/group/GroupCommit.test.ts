import { assert, describe, it, vi } from "@effect/vitest"
import { OpenTransactions, TransactionCounts } from "@petstore/core/adapter-toolkit"
import { StorageBusy } from "@petstore/core/domain"
import { OnTransactionStart, type Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { type Scripted, ScriptedConnection } from "../../../../test/support/scriptedConnection.ts"
import type { PostgresConnection } from "../../connection/PostgresConnection.ts"
import { appendEvents } from "../../events/appendEvents.ts"
import type { PostgresTransaction } from "../../statements/Statement.ts"
import { ContendedRows } from "./ContendedRows.ts"
import { GroupBody } from "./GroupBody.ts"
import { GroupCommit } from "./GroupCommit.ts"
import { GroupStatements } from "./GroupStatements.ts"
import { IdBlock } from "./NewIds.ts"

interface Harness {
  /** How many connections groups took, one each. */
  taken: number
  /** How many of them they gave back. */
  given: number
  /** How many transactions ran alone. */
  alone: number
  /** The connections of the groups. */
  readonly connections: Array<ScriptedConnection>
  /** How many milliseconds each group gave the server. */
  readonly patience: Array<number>
  /** Of each commit, whether its events have their numbers. */
  readonly committed: Array<boolean>
  /** Of each group that could not be committed, why. */
  readonly failed: Array<string>
}

interface Options {
  readonly take?: () => Promise<void>
  /** What the server returns to each group; the last one also to those after it. */
  readonly scripts?: ReadonlyArray<ReadonlyArray<Scripted>>
  readonly timeout?: number
}

const harness = ({ scripts = [], take, timeout = 10_000 }: Options = {}) => {
  const seen: Harness = { taken: 0, given: 0, alone: 0, connections: [], patience: [], committed: [], failed: [] }
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
    timeout,
    pool: {
      take: async () => {
        await take?.()
        const script = scripts[seen.taken++] ?? scripts.at(-1) ?? []
        const expire = (deadline: number) => seen.patience.push(Math.round(deadline - performance.now()))
        const connection = Object.assign(new ScriptedConnection(script), { expire })
        seen.connections.push(connection)
        // A group uses only what the script has.
        return connection as unknown as PostgresConnection
      },
      give: () => {
        seen.given++
      }
    },
    alone: () => {
      seen.alone++
      return Effect.interrupt
    },
    committed: (numbered) => seen.committed.push(numbered),
    failed: ({ _tag }) => seen.failed.push(_tag)
  })
  const run = <A, E>(body: Effect.Effect<A, E, Transaction>, command?: Parameters<GroupCommit["run"]>[2]) =>
    groups.run(Context.empty(), body, command)
  /** Does what groups cannot do. */
  const irregular = Effect.flatMap(Effect.context<Transaction>(), (context) =>
    transactions.require(context).claim("a name")
  )
  const event = { id: "evt_1", type: "pet.deleted", subject: "pets/1", timestamp: "", data: { id: 1 } } as const
  /** Changes something. */
  const writing = Effect.flatMap(Effect.context<Transaction>(), (context) =>
    transactions.require(context).append(event)
  )
  const locking = Effect.flatMap(Effect.context<Transaction>(), (context) => {
    const body = transactions.require(context)
    return body instanceof GroupBody ? body.lock(body.tables.pets, 1) : Effect.die(new Error("It runs alone"))
  })
  return { groups, irregular, locking, run, seen, writing }
}

const numbered = (isNumbered: boolean): Scripted => ({ when: /petstore_log_end/, rows: [{ numbered: isNumbered }] })
const rejected = (code: string): Scripted => ({
  when: /^COMMIT/,
  error: Object.assign(new Error(`SQLSTATE ${code}`), { code })
})

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
      const { run } = harness({ take: () => Promise.reject(new StorageBusy({})) })
      const exits = yield* Effect.all([run(Effect.void), run(Effect.void)].map(Effect.exit), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(exits.map(Exit.isFailure), [true, true])
      assert.strictEqual((yield* Effect.flip(run(Effect.void)))._tag, "StorageBusy")
    })
  )

  it.effect("each commit is reported, with whether its events are numbered, and connections are given back", () =>
    Effect.gen(function* () {
      const { run, seen, writing } = harness({ scripts: [[numbered(true)], [numbered(false)]] })
      yield* run(writing)
      yield* run(writing)
      yield* run(Effect.void)
      assert.deepStrictEqual([seen.taken, seen.given, seen.committed], [3, 3, [true, false]])
    })
  )

  it.effect("a group that the server ends because of others runs again, and returns the result of that", () =>
    Effect.gen(function* () {
      const { run, seen, writing } = harness({ scripts: [[rejected("40001"), numbered(true)], [numbered(true)]] })
      let runs = 0
      const body = Effect.andThen(
        writing,
        Effect.sync(() => ++runs)
      )
      assert.deepStrictEqual(yield* Effect.all([run(body), run(body)], { concurrency: "unbounded" }), [3, 4])
      assert.deepStrictEqual([seen.taken, seen.given, seen.alone], [2, 2, 0])
      assert.deepStrictEqual([seen.committed, seen.failed], [[true], ["StorageBusy"]])
    })
  )

  it.effect("a group that has waited too long for a row does not wait for it when it runs again", () =>
    Effect.gen(function* () {
      const timeout = Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" })
      const { locking, run, seen } = harness({ scripts: [[{ when: /FOR NO KEY UPDATE$/, error: timeout }], []] })
      yield* Effect.exit(run(locking))
      assert.deepStrictEqual(
        seen.connections.flatMap((connection) => connection.matching(/FOR NO KEY UPDATE.*/)),
        ["1: FOR NO KEY UPDATE", "1: FOR NO KEY UPDATE SKIP LOCKED"]
      )
      assert.strictEqual(seen.alone, 1)
    })
  )

  it.effect("a transaction whose second group fails as well runs alone", () =>
    Effect.gen(function* () {
      const { run, seen, writing } = harness({ scripts: [[rejected("40001"), numbered(true)]] })
      yield* Effect.exit(run(writing))
      assert.deepStrictEqual([seen.taken, seen.alone], [2, 1])
    })
  )

  it.effect("a transaction whose time is over does not run again", () =>
    Effect.gen(function* () {
      const { run, seen, writing } = harness({ scripts: [[rejected("40001"), numbered(true)]], timeout: 0 })
      assert.strictEqual((yield* Effect.flip(run(writing)))._tag, "StorageBusy")
      assert.deepStrictEqual([seen.taken, seen.alone], [1, 0])
    })
  )

  it.effect("the server has the time that is left of the first call, and half of that of a call at least", () =>
    Effect.gen(function* () {
      let now = performance.now()
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
      yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
      const waits = [10, 100]
      const take = async () => {
        now += waits.shift() ?? 0
      }
      const { run, seen } = harness({ take, timeout: 100 })
      yield* run(Effect.void)
      yield* run(Effect.void)
      assert.deepStrictEqual(seen.patience, [90, 50])
    })
  )

  it.live("an interruption of the caller while the group runs waits for the commit", () =>
    Effect.gen(function* () {
      const { run, seen, writing } = harness({ scripts: [[numbered(true)]] })
      const started = Deferred.makeUnsafe<void>()
      const body = Effect.andThen(
        writing,
        Effect.sync(() => Deferred.doneUnsafe(started, Exit.void))
      )
      const fiber = yield* Effect.forkChild(run(body), { startImmediately: true })
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(seen.committed, [true])
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
