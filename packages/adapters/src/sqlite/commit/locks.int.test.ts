import { assert, describe, it } from "@effect/vitest"
import { categories } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { startProgram } from "../../../test/support/program.ts"
import { addCategory, addPet, petNames } from "../../../test/support/rows.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"

/** A store whose file another process is writing to. */
const locked = (lockTimeout: number) =>
  Effect.gen(function* () {
    const file = yield* temporaryFile
    const store = yield* openSqlite({ file, lockTimeout })
    const categoryId = yield* store.run((tx) => addCategory(tx))
    const holder = yield* startProgram("hold-lock", file)
    assert.strictEqual(yield* holder.line, "locked")
    const release = Effect.andThen(holder.send("release"), holder.exit)
    return { file, store, categoryId, holder, release }
  })

const failure = (exit: Exit.Exit<unknown, { readonly _tag: string }>) =>
  Exit.isFailure(exit)
    ? exit.cause.reasons.map((reason) => (reason._tag === "Fail" ? reason.error._tag : reason._tag))
    : []

describe("a file that another process writes to", () => {
  it.effect("fails all transactions with StorageBusy after the timeout, without blocking the event loop", () =>
    Effect.gen(function* () {
      const { store, categoryId, holder, release } = yield* locked(3_000)
      let ticks = 0
      yield* Effect.acquireRelease(
        Effect.sync(() => setInterval(() => ticks++, 5)),
        (timer) => Effect.sync(() => clearInterval(timer))
      )
      const exits = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, n) => `Rex ${n}`),
        (name) => Effect.exit(store.run((tx) => addPet(tx, categoryId, name))),
        { concurrency: "unbounded" }
      )
      assert.isNull(holder.process.exitCode, "the lock is still held")
      for (const exit of exits) assert.deepStrictEqual(failure(exit), ["StorageBusy"])
      // Of some 600 that are possible; a loop that is blocked has none.
      assert.isAbove(ticks, 10)
      assert.deepStrictEqual(yield* petNames(store), [])
      yield* release
      yield* store.run((tx) => addPet(tx, categoryId, "Max"))
      assert.deepStrictEqual(yield* petNames(store), ["Max"])
    })
  )

  it.effect("can be opened and read meanwhile, and written to as soon as the lock is released", () =>
    Effect.gen(function* () {
      const { file, store, categoryId, release } = yield* locked(60_000)
      const waiting = yield* Effect.forkChild(
        store.run((tx) => addPet(tx, categoryId, "Rex")),
        {
          startImmediately: true
        }
      )
      const another = yield* openSqlite({ file, lockTimeout: 50 })
      for (const each of [store, another]) {
        assert.strictEqual((yield* each.find(categories, categoryId))?.category.name, "Dogs")
      }
      assert.strictEqual((yield* Effect.flip(another.ready))._tag, "StorageBusy")
      assert.isUndefined(waiting.pollUnsafe())
      yield* release
      yield* Fiber.join(waiting)
      yield* another.ready
      assert.deepStrictEqual(yield* petNames(store), ["Rex"])
    })
  )

  it.effect("allows waiting callers to be interrupted", () =>
    Effect.gen(function* () {
      const { store, categoryId, release } = yield* locked(60_000)
      const waiting = yield* Effect.forkChild(
        store.run((tx) => addPet(tx, categoryId, "Rex")),
        {
          startImmediately: true
        }
      )
      const other = yield* Effect.forkChild(
        store.run((tx) => addPet(tx, categoryId, "Max")),
        {
          startImmediately: true
        }
      )
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      yield* Fiber.interrupt(waiting)
      yield* release
      yield* Fiber.join(other)
      assert.deepStrictEqual(yield* petNames(store), ["Max"])
    })
  )

  it.effect("makes a closing store finish the queued transactions, and reject later ones", () =>
    Effect.gen(function* () {
      const { file, categoryId, release } = yield* locked(60_000)
      const scope = yield* Scope.make()
      const closing = yield* Scope.provide(openSqlite({ file, lockTimeout: 60_000 }), scope)
      const before = yield* Effect.forkChild(
        closing.run((tx) => addPet(tx, categoryId, "Rex")),
        {
          startImmediately: true
        }
      )
      const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      const after = yield* Effect.flip(closing.run((tx) => addPet(tx, categoryId, "Max")))
      assert.strictEqual(after._tag, "ShuttingDown")
      assert.isUndefined(closed.pollUnsafe())
      yield* release
      yield* Fiber.join(before)
      yield* Fiber.join(closed)
      assert.deepStrictEqual(yield* Effect.flatMap(openSqlite(file), petNames), ["Rex"])
    })
  )

  it.effect("fails with StorageBusy if it has to be migrated", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const holder = yield* startProgram("hold-lock", file)
      assert.strictEqual(yield* holder.line, "locked")
      assert.strictEqual((yield* Effect.flip(openSqlite({ file, lockTimeout: 50 })))._tag, "StorageBusy")
    })
  )
})
