import { truncateSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it, vi } from "@effect/vitest"
import { Failed, type Transaction } from "@petstore/core/kernel"
import { OnTransactionStart, type Storage } from "@petstore/core/ports"
import { events, ledger, pets } from "@petstore/core/tables"
import { aMovement, aPetRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { faultsOf } from "../../../test/support/faults.ts"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { addCategory, addPet, petNames } from "../../../test/support/rows.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { machineClock } from "../connection/busyRetry.ts"
import type { Connection } from "../connection/Connection.ts"
import { openStore } from "../store.ts"

/** The statements that open and close transactions, as they run. */
const watch = (writer: Connection): Array<string> => {
  const seen: Array<string> = []
  const run = writer.run.bind(writer)
  writer.run = (sql) => {
    seen.push(sql)
    run(sql)
  }
  return seen
}

const opened = Effect.gen(function* () {
  const file = yield* temporaryFile
  const { store, writer } = yield* openStore({ file })
  const categoryId = yield* store.run((tx) => addCategory(tx))
  return { file, store, writer, categoryId, statements: watch(writer) }
})

const count = (statements: ReadonlyArray<string>, wanted: string) => statements.filter((one) => one === wanted).length

const numbers = (length: number) => Array.from({ length }, (_, index) => index)

/** Adds a pet by a command that takes a tenth of a millisecond, so that no more than 64 of them share a commit. */
const addSlowly = (tx: Transaction, categoryId: number, name: string) => {
  const start = performance.now()
  while (performance.now() - start < 0.1) {}
  return addPet(tx, categoryId, name)
}

/** Three transactions at a time, of which the database refuses the second one. */
const failingGroup = (store: Storage["Service"], categoryId: number) =>
  Effect.forEach(
    ["Rex", "no", "Tim"],
    // The database refuses a pet of no category.
    (name) => Effect.exit(store.run((tx) => addPet(tx, name === "no" ? 9_999 : categoryId, name))),
    { concurrency: "unbounded" }
  )

/** Adds a pet with its ledger entry and an event by a command, which then fails if the name is "no". */
const runAddPet = (store: Storage["Service"], categoryId: number, name: string) =>
  store.run(function* (tx) {
    const { id } = yield* tx.insert(pets, (petId) => aPetRecord({ id: petId, name, categoryId }))
    tx.append(ledger, [aMovement({ petId: id })])
    const data = { id, name, categoryId, status: "available", version: 1 } as const
    const timestamp = "2026-01-01T00:00:00.000Z"
    tx.append(events, [{ id: `evt_${name}`, type: "pet.created", subject: `pets/${id}`, timestamp, data }])
    if (name === "no") yield* new Failed("no")
  })

/** Takes the lock of a file as another process does; returns a function that releases it. */
const lockFile = (file: string): (() => void) => {
  const database = new DatabaseSync(file)
  database.exec("BEGIN IMMEDIATE")
  return () => database.close()
}

/** The next uncaught exception, which is kept from the test runner. */
const uncaughtException = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const others = process.listeners("uncaughtException")
      process.removeAllListeners("uncaughtException")
      const next = new Promise<unknown>((resolve) => process.once("uncaughtException", resolve))
      return { next, others }
    }),
    ({ others }) =>
      Effect.sync(() => {
        process.removeAllListeners("uncaughtException")
        for (const listener of others) process.on("uncaughtException", listener)
      })
  ),
  ({ next }) => ({ next })
)

/** A busy machine may take longer for a turn of the event loop than commands wait. */
const timeStandsStill = Effect.suspend(() => {
  const clock = vi.spyOn(machineClock, "now").mockReturnValue(machineClock.now())
  return Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
})

describe("shared commits", () => {
  it.effect("concurrent transactions share one commit, up to 64 of them if they take long", () =>
    Effect.gen(function* () {
      const { store, categoryId, statements } = yield* opened
      const add = (n: number) => store.run((tx) => addSlowly(tx, categoryId, `Rex ${n}`))
      yield* Effect.forEach(numbers(64), add, { concurrency: "unbounded" })
      assert.deepStrictEqual([count(statements, "BEGIN IMMEDIATE"), count(statements, "COMMIT")], [1, 1])
      yield* Effect.forEach(numbers(130), (n) => add(64 + n), { concurrency: "unbounded" })
      assert.strictEqual(count(statements, "COMMIT"), 1 + 3)
      assert.deepStrictEqual(
        yield* petNames(store),
        numbers(194).map((n) => `Rex ${n}`)
      )
    })
  )

  it.effect("background work that comes with callers follows in a commit of its own", () =>
    Effect.gen(function* () {
      const { store, categoryId, statements } = yield* opened
      // Background work waits for five milliseconds at most.
      yield* timeStandsStill
      const ended: Array<string> = []
      const add = (name: string, command?: "messages.claim") =>
        Effect.tap(
          store.run((tx) => addPet(tx, categoryId, name), command),
          () => Effect.sync(() => ended.push(name))
        )
      yield* Effect.all([add("Work", "messages.claim"), add("Rex"), add("Tim")], { concurrency: "unbounded" })
      assert.deepStrictEqual(ended, ["Rex", "Tim", "Work"])
      assert.strictEqual(count(statements, "COMMIT"), 2)
    })
  )

  it.effect("more than 64 share one commit if they take a short time", () =>
    Effect.gen(function* () {
      const { store, categoryId } = yield* opened
      // The first rounds are not compiled yet.
      for (let round = 0; round < 100 && store.activity.largestGroup <= 64; round++) {
        const add = (n: number) => store.run((tx) => addPet(tx, categoryId, `Rex ${round}-${n}`))
        yield* Effect.forEach(numbers(100), add, { concurrency: "unbounded" })
      }
      assert.isAbove(store.activity.largestGroup, 64)
    })
  )

  it.effect("a long queue leaves time for other work of the event loop, such as new connections", () =>
    Effect.gen(function* () {
      const { store, categoryId, writer } = yield* opened
      let turn = 0
      let running = true
      const next = (): void => {
        turn++
        if (running) setImmediate(next)
      }
      setImmediate(next)
      const commits: Array<number> = []
      const run = writer.run.bind(writer)
      writer.run = (sql) => {
        if (sql === "COMMIT") commits.push(turn)
        run(sql)
      }
      const add = (n: number) => store.run((tx) => addSlowly(tx, categoryId, `Rex ${n}`))
      yield* Effect.forEach(numbers(10 * 64), add, { concurrency: "unbounded" })
      running = false
      assert.strictEqual(commits.length, 10)
      const turns = commits.slice(1).map((commit, index) => commit - (commits[index] ?? 0))
      // Sixteen, unless they take long.
      assert.isAbove(Math.max(...turns), 1)
    })
  )

  it.effect("transactions that arrive one by one in a turn of the event loop, as from sockets, share one commit", () =>
    Effect.gen(function* () {
      const { store, categoryId, statements } = yield* opened
      const callers = yield* Effect.forEach(numbers(5), (n) =>
        Effect.andThen(
          Effect.promise(() => Promise.resolve()),
          Effect.forkChild(
            store.run((tx) => addPet(tx, categoryId, `Rex ${n}`)),
            { startImmediately: true }
          )
        )
      )
      yield* Effect.forEach(callers, Fiber.join)
      assert.strictEqual(count(statements, "COMMIT"), 1)
    })
  )

  it.effect(
    "transactions that arrive in the next turns of the event loop share the commit, as long as more arrive",
    () =>
      Effect.gen(function* () {
        const { store, categoryId, statements } = yield* opened
        // A group waits for two milliseconds at most.
        yield* timeStandsStill
        const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
        const add = (n: number) =>
          Effect.forkChild(
            store.run((tx) => addPet(tx, categoryId, `Rex ${n}`)),
            { startImmediately: true }
          )
        const callers = [yield* add(0), yield* add(1)]
        yield* turn
        callers.push(yield* add(2))
        yield* Effect.forEach(callers, Fiber.join)
        assert.deepStrictEqual(statements, ["BEGIN IMMEDIATE", "COMMIT"])
      })
  )

  it.effect("sequential transactions have a commit each, before their results", () =>
    Effect.gen(function* () {
      const { store, categoryId, statements } = yield* opened
      for (const n of numbers(5)) {
        yield* store.run((tx) => addPet(tx, categoryId, `Rex ${n}`))
        assert.strictEqual(count(statements, "COMMIT"), n + 1)
      }
    })
  )

  it.effect("rows follow the last one, also if another store has added it, or a transaction before was refused", () =>
    Effect.gen(function* () {
      const { file, store, categoryId } = yield* opened
      const { store: other } = yield* openStore({ file })
      const ids: Array<number> = []
      for (const one of [store, store, other, other, store]) {
        ids.push(yield* one.run((tx) => addPet(tx, categoryId)))
        yield* failingGroup(one, categoryId)
      }
      assert.deepStrictEqual(ids, [1, 4, 7, 10, 13])
    })
  )

  it.effect("a transaction alone needs no savepoint, and writes nothing if it is rejected", () =>
    Effect.gen(function* () {
      const { store, categoryId, statements } = yield* opened
      yield* store.run((tx) => addPet(tx, categoryId, "Rex"))
      assert.deepStrictEqual(statements.splice(0), ["BEGIN IMMEDIATE", "COMMIT"])
      const rejected = store.run(function* (tx) {
        yield* addPet(tx, categoryId, "Tom")
        yield* new Failed("no")
      })
      assert.strictEqual(yield* Effect.flip(rejected), "no")
      assert.deepStrictEqual(statements.splice(0), ["BEGIN IMMEDIATE", "COMMIT"])
      assert.deepStrictEqual(yield* petNames(store), ["Rex"])
      yield* store.run((tx) => addPet(tx, categoryId, "Tim"))
      assert.deepStrictEqual(yield* petNames(store), ["Rex", "Tim"])
    })
  )

  it.effect("a rejection returns after the commit of its group, too", () =>
    Effect.gen(function* () {
      const { store, categoryId, statements } = yield* opened
      const refused = Effect.exit(
        store.run(function* () {
          yield* new Failed("no")
        })
      )
      const commits = yield* Effect.all(
        [Effect.map(refused, () => count(statements, "COMMIT")), store.run((tx) => addPet(tx, categoryId))],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(commits[0], 1)
      assert.deepStrictEqual(statements, ["BEGIN IMMEDIATE", "COMMIT"])
    })
  )

  it.effect("if the database refuses what a group writes, each member runs again in a commit of its own", () =>
    Effect.gen(function* () {
      const { store, categoryId, statements } = yield* opened
      const exits = yield* failingGroup(store, categoryId)
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assert.deepStrictEqual(
        statements,
        ["ROLLBACK", "COMMIT", "ROLLBACK", "COMMIT"].flatMap((end) => ["BEGIN IMMEDIATE", end])
      )
      assert.deepStrictEqual(yield* petNames(store), ["Rex", "Tim"])
      const { committed, failed, grouped, rejected } = store.activity
      assert.deepStrictEqual([committed, rejected, failed, grouped], [3, 0, 1, 3])
    })
  )

  it.effect("if code that is told of a commit throws, then the outcome is unknown, and the process goes on", () =>
    Effect.gen(function* () {
      const { store, categoryId } = yield* opened
      let isBroken = true
      yield* store.watch(() => {
        if (isBroken) throw new Error("a listener failed")
      })
      const error = yield* Effect.flip(store.run((tx) => addPet(tx, categoryId, "Rex")))
      assert.strictEqual(error._tag, "CommitUnknown")
      isBroken = false
      yield* store.run((tx) => addPet(tx, categoryId, "Tim"))
      assert.deepStrictEqual(yield* petNames(store), ["Rex", "Tim"])
    })
  )

  it.effect(
    "if another process takes the lock before such a group runs again, no result of the first run returns",
    () =>
      Effect.gen(function* () {
        const { file, store, writer, categoryId } = yield* opened
        const another = yield* openSqlite({ file })
        const run = writer.run.bind(writer)
        let begun = 0
        writer.run = (sql) => {
          // The lock is taken once, between the two runs.
          if (sql === "BEGIN IMMEDIATE" && ++begun === 2) setTimeout(lockFile(file), 5)
          run(sql)
        }
        const exits = yield* failingGroup(store, categoryId)
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
        assert.deepStrictEqual(yield* petNames(another), ["Rex", "Tim"])
        assert.isAbove(store.activity.retried, 0)
      })
  )

  it.effect("if the database loses the transaction as a group is written, all members fail, and nothing is kept", () =>
    Effect.gen(function* () {
      const { store, writer, categoryId, statements } = yield* opened
      const faults = faultsOf(writer)
      const group = Effect.forEach(
        numbers(10),
        (n) => Effect.exit(store.run((tx) => addPet(tx, categoryId, `Rex ${n}`))),
        { concurrency: "unbounded" }
      )
      faults.write = true
      assert.isFalse((yield* group).some(Exit.isSuccess))
      faults.write = false
      assert.deepStrictEqual(yield* petNames(store), [])
      assert.deepStrictEqual([count(statements, "BEGIN IMMEDIATE"), count(statements, "COMMIT")], [1, 0])
    })
  )

  it.effect("if the log is cut off behind it, a transaction is refused, and none stays open on the connection", () =>
    Effect.gen(function* () {
      const { categoryId, file, statements, store, writer } = yield* opened
      truncateSync(`${file}-wal`, 32)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(store.run((tx) => addPet(tx, categoryId, "Rex")))))
      assert.deepStrictEqual(statements, ["BEGIN IMMEDIATE", "ROLLBACK"])
      assert.isFalse(writer.inTransaction)
    })
  )

  it.effect("watchers are passed the events of members that succeed, and none of a commit that fails", () =>
    Effect.gen(function* () {
      const { categoryId, store, writer } = yield* opened
      const passed: Array<ReadonlyArray<string> | undefined> = []
      yield* store.watch((appeared) => passed.push(appeared?.map(({ id, seq }) => `${seq} ${id}`)), { events: true })
      const add = (name: string) => Effect.exit(runAddPet(store, categoryId, name))
      yield* Effect.forEach(["Rex", "no", "Tim"], add, { concurrency: "unbounded" })
      yield* add("Tom")
      yield* store.run((tx) => addPet(tx, categoryId, "Ann"))
      faultsOf(writer).commit = true
      yield* add("Max")
      assert.deepStrictEqual(passed, [["1 evt_Rex", "2 evt_Tim"], ["3 evt_Tom"], ["4 evt_Ann"], undefined])
    })
  )

  it.effect("while no watcher wants events, none are passed", () =>
    Effect.gen(function* () {
      const { categoryId, store } = yield* opened
      const passed: Array<ReadonlyArray<number> | undefined> = []
      yield* store.watch((appeared) => passed.push(appeared?.map(({ seq }) => seq)))
      const scope = yield* Scope.make()
      yield* Scope.provide(
        store.watch(() => {}, { events: true }),
        scope
      )
      yield* runAddPet(store, categoryId, "Rex")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(passed, [[1]])
      yield* runAddPet(store, categoryId, "Tim")
      assert.deepStrictEqual(passed, [[1], undefined])
    })
  )

  it.effect("a failed commit releases the lock at once", () =>
    Effect.gen(function* () {
      const { store, writer, file, categoryId } = yield* opened
      faultsOf(writer).commit = true
      assert.strictEqual((yield* Effect.flip(store.run((tx) => addPet(tx, categoryId, "Rex"))))._tag, "InternalError")
      const another = yield* openSqlite({ file, lockTimeout: 0 })
      yield* another.run((tx) => addPet(tx, categoryId, "Max"))
      assert.deepStrictEqual(yield* petNames(store), ["Max"])
    })
  )

  it.effect(
    "a caller that throws when it gets its result does not affect other callers, and its error is reported",
    () =>
      Effect.gen(function* () {
        const { store, categoryId } = yield* opened
        const { next } = yield* uncaughtException
        const call = (n: number) => Effect.runFork(store.run((tx) => addPet(tx, categoryId, `Rex ${n}`)))
        call(0).addObserver(() => {
          throw new Error("cannot listen")
        })
        const others = yield* Effect.forEach([call(1), call(2)], Fiber.await)
        assert.isTrue(others.every(Exit.isSuccess))
        assert.match(String(yield* Effect.promise(() => next)), /cannot listen/)
        assert.deepStrictEqual(yield* petNames(store), ["Rex 0", "Rex 1", "Rex 2"])
      })
  )

  it.effect("a transaction whose onTransactionStart throws fails alone, and the store keeps working", () =>
    Effect.gen(function* () {
      const { store, categoryId } = yield* opened
      const add = (name: string) => store.run((tx) => addPet(tx, categoryId, name))
      const turnedAway = Effect.provideService(add("Max"), OnTransactionStart, () => {
        throw new Error("no room")
      })
      const calls = [add("Rex"), turnedAway, add("Tom")].map(Effect.exit)
      const exits = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assert.match(JSON.stringify(exits[1]), /Die/)
      yield* add("Bob")
      assert.deepStrictEqual(yield* petNames(store), ["Rex", "Tom", "Bob"])
    })
  )

  it.effect("given commands in one commit, then each announces its start and its end before the next one starts", () =>
    Effect.gen(function* () {
      const { store, categoryId } = yield* opened
      const seen: Array<string> = []
      const calls = ["Rex", "Tom"].map((name) =>
        Effect.provideService(
          store.run((tx) => addPet(tx, categoryId, name)),
          OnTransactionStart,
          () => {
            seen.push(`${name} starts`)
            return () => seen.push(`${name} ends`)
          }
        )
      )
      yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepStrictEqual(seen, ["Rex starts", "Rex ends", "Tom starts", "Tom ends"])
    })
  )

  it.effect("keeps working if a test replaces the timers", () =>
    Effect.gen(function* () {
      const { store, categoryId } = yield* opened
      yield* Effect.acquireRelease(
        Effect.sync(() => vi.useFakeTimers()),
        () => Effect.sync(() => vi.useRealTimers())
      )
      yield* store.run((tx) => addPet(tx, categoryId, "Rex"))
      assert.deepStrictEqual(yield* petNames(store), ["Rex"])
    })
  )
})
