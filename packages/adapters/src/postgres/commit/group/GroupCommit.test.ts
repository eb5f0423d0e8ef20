import { assert, describe, it, vi } from "@effect/vitest"
import { TransactionCounts } from "@petstore/core/adapter-toolkit"
import { ShuttingDown, StorageBusy } from "@petstore/core/domain"
import { OnTransactionStart } from "@petstore/core/ports"
import * as tables from "@petstore/core/tables"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { type Scripted, ScriptedConnection } from "../../../../test/support/scriptedConnection.ts"
import { type Command, settings } from "../../../../test/support/scriptedGroup.ts"
import type { PostgresConnection } from "../../connection/PostgresConnection.ts"
import { GroupCommit } from "./GroupCommit.ts"

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
  const groups = new GroupCommit({
    ...settings(),
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
  const run = <A>(command: Command<A>, name?: Parameters<GroupCommit["run"]>[1]) => groups.run(command, name)
  return { groups, run, seen }
}

const Actor = Context.Reference<string>("test/Actor", { defaultValue: () => "nobody" })

const returns = <A>(value: A): Command<A> =>
  function* () {
    return value
  }

/** Does what groups cannot do. */
const irregular: Command = function* (tx) {
  yield* tx.first(tables.categoriesByName, "dogs")
}

/** Changes something, and returns how often it has run. */
const writing = (): Command<number> => {
  let runs = 0
  return function* (tx) {
    tx.append(tables.events, [{ id: "evt_1", type: "pet.deleted", subject: "pets/1", timestamp: "", data: { id: 1 } }])
    return ++runs
  }
}

const locking: Command = function* (tx) {
  yield* tx.lock(tables.pets, 1)
}

const numbered = (isNumbered: boolean): Scripted => ({ when: /petstore_log_end/, rows: [{ numbered: isNumbered }] })
const rejected = (code: string): Scripted => ({
  when: /^COMMIT/,
  error: Object.assign(new Error(`SQLSTATE ${code}`), { code })
})

describe("given a queue of commands", () => {
  it.effect("when they arrive together, then they form groups of at most 128", () =>
    Effect.gen(function* () {
      const { run, seen } = harness()
      const results = yield* Effect.forEach(
        Array.from({ length: 260 }, (_, index) => index),
        (index) => run(returns(index)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results, [...results.keys()])
      assert.strictEqual(seen.taken, 3)
    })
  )

  it.effect("when background work comes with those of callers, then it follows in a group of its own", () =>
    Effect.gen(function* () {
      // Background work waits for five milliseconds at most, and a busy machine may take longer.
      const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now())
      yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
      const { run, seen } = harness()
      const ended: Array<string> = []
      const end = (name: string) => () => Effect.sync(() => ended.push(name))
      yield* Effect.all(
        [
          Effect.tap(run(returns(1), "deliveries.record"), end("work")),
          Effect.tap(run(returns(2), "orders.place"), end("order")),
          Effect.tap(run(returns(3)), end("other"))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(ended, ["order", "other", "work"])
      assert.strictEqual(seen.taken, 2)
    })
  )

  it.effect("when one has used a table that groups do not hold, then the next of its name runs alone at once", () =>
    Effect.gen(function* () {
      const { run, seen } = harness()
      const categories = () => Effect.exit(run(irregular, "categories.create"))
      assert.deepStrictEqual([yield* categories(), yield* categories()].map(Exit.hasInterrupts), [true, true])
      assert.deepStrictEqual([seen.taken, seen.alone], [1, 2])
      assert.strictEqual(yield* run(returns("grouped"), "orders.place"), "grouped")
    })
  )

  it.effect("when the caller of one is interrupted in the queue, then it never starts", () =>
    Effect.gen(function* () {
      const { run, seen } = harness()
      const command = writing()
      const fiber = yield* Effect.forkChild(run(command), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* run(returns(1))
      assert.deepStrictEqual([command({ append: () => {} } as never).next().value, seen.taken], [1, 1])
    })
  )

  it.effect("when the caller of one is interrupted while its group waits for a connection, then it never starts", () =>
    Effect.gen(function* () {
      const free = Promise.withResolvers<void>()
      const asked = Promise.withResolvers<void>()
      const take = () => {
        asked.resolve()
        return free.promise
      }
      const { run, seen } = harness({ take })
      const command = writing()
      const fiber = yield* Effect.forkChild(run(command), { startImmediately: true })
      yield* Effect.promise(() => asked.promise)
      yield* Fiber.interrupt(fiber)
      free.resolve()
      yield* run(returns(1))
      assert.deepStrictEqual([command({ append: () => {} } as never).next().value, seen.taken, seen.given], [1, 2, 2])
    })
  )

  it.effect("when one runs, and runs again, then it announces that it starts", () =>
    Effect.gen(function* () {
      const { groups } = harness()
      let starts = 0
      yield* Effect.provideService(groups.run(locking), OnTransactionStart, () => {
        starts++
        return undefined
      })
      assert.strictEqual(starts, 2)
    })
  )

  it.effect("when one runs, then it has the services of its caller", () =>
    Effect.gen(function* () {
      const { groups } = harness()
      const actors = yield* Effect.forEach(
        ["ann", "bob"],
        (actor) =>
          Effect.provideService(
            groups.run(function* (_, context) {
              return Context.get(context, Actor)
            }),
            Actor,
            actor
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(actors, ["ann", "bob"])
    })
  )

  it.effect("when no connection is free, then every one of the group fails with the reason", () =>
    Effect.gen(function* () {
      const { run } = harness({ take: () => Promise.reject(new StorageBusy({})) })
      const exits = yield* Effect.all([run(returns(1)), run(returns(2))].map(Effect.exit), { concurrency: "unbounded" })
      assert.deepStrictEqual(exits.map(Exit.isFailure), [true, true])
      assert.instanceOf(yield* Effect.flip(run(returns(1))), StorageBusy)
    })
  )

  it.effect("then each commit is reported, with whether its events are numbered, and connections are given back", () =>
    Effect.gen(function* () {
      const { run, seen } = harness({ scripts: [[numbered(true)], [numbered(false)]] })
      yield* run(writing())
      yield* run(writing())
      yield* run(returns(1))
      assert.deepStrictEqual([seen.taken, seen.given, seen.committed], [3, 3, [true, false]])
    })
  )

  it.effect("when the server ends a group because of others, then it runs again, and returns the results of that", () =>
    Effect.gen(function* () {
      const { run, seen } = harness({ scripts: [[rejected("40001"), numbered(true)], [numbered(true)]] })
      const results = yield* Effect.all([run(writing()), run(writing())], { concurrency: "unbounded" })
      assert.deepStrictEqual(results, [2, 2])
      assert.deepStrictEqual([seen.taken, seen.given, seen.alone], [2, 2, 0])
      assert.deepStrictEqual([seen.committed, seen.failed], [[true], ["StorageBusy"]])
    })
  )

  it.effect("when a group has waited too long for a row, then it does not wait for it when it runs again", () =>
    Effect.gen(function* () {
      const timeout = Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" })
      const { run, seen } = harness({ scripts: [[{ when: /FOR NO KEY UPDATE$/, error: timeout }], []] })
      yield* Effect.exit(run(locking))
      assert.deepStrictEqual(
        seen.connections.flatMap((connection) => connection.matching(/FOR NO KEY UPDATE.*/)),
        ["1: FOR NO KEY UPDATE", "1: FOR NO KEY UPDATE SKIP LOCKED"]
      )
      assert.strictEqual(seen.alone, 1)
    })
  )

  it.effect("when the second group of one fails as well, then it runs alone", () =>
    Effect.gen(function* () {
      const { run, seen } = harness({ scripts: [[rejected("40001"), numbered(true)]] })
      yield* Effect.exit(run(writing()))
      assert.deepStrictEqual([seen.taken, seen.alone], [2, 1])
    })
  )

  it.effect("when the time of one is over, then it does not run again", () =>
    Effect.gen(function* () {
      const { run, seen } = harness({ scripts: [[rejected("40001"), numbered(true)]], timeout: 0 })
      assert.instanceOf(yield* Effect.flip(run(writing())), StorageBusy)
      assert.deepStrictEqual([seen.taken, seen.alone], [1, 0])
    })
  )

  it.effect("then the server has the time that is left of the first call, and half of that of a call at least", () =>
    Effect.gen(function* () {
      let now = performance.now()
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
      yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
      const waits = [10, 100]
      const take = async () => {
        now += waits.shift() ?? 0
      }
      const { run, seen } = harness({ take, timeout: 100 })
      yield* run(returns(1))
      yield* run(returns(1))
      assert.deepStrictEqual(seen.patience, [90, 50])
    })
  )

  it.live("when a caller is interrupted while its group runs, then it waits for the commit", () =>
    Effect.gen(function* () {
      const { groups, seen } = harness({ scripts: [[numbered(true)]] })
      const started = Deferred.makeUnsafe<void>()
      const run = Effect.provideService(groups.run(writing()), OnTransactionStart, () => {
        Deferred.doneUnsafe(started, Exit.void)
        return undefined
      })
      const fiber = yield* Effect.forkChild(run, { startImmediately: true })
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(seen.committed, [true])
    })
  )

  it.effect("when it closes, then those that wait return their results, and new ones are refused", () =>
    Effect.gen(function* () {
      const { groups, run } = harness()
      const waiting = yield* Effect.forkChild(run(returns("done")), { startImmediately: true })
      yield* groups.close
      assert.strictEqual(yield* Fiber.join(waiting), "done")
      assert.instanceOf(yield* Effect.flip(run(returns(1))), ShuttingDown)
    })
  )
})
