import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import { SynchronousConnection } from "./SynchronousConnection.ts"
import { SynchronousDatabase } from "./SynchronousDatabase.ts"

/** Numbers in a list, and how often it was refreshed. */
class Numbers extends SynchronousDatabase {
  readonly numbers: Array<number> = []
  refreshed = 0
  failing = false

  override transaction<A>(work: () => A): A {
    const before = [...this.numbers]
    try {
      const value = work()
      if (this.failing) throw new Error("The disk is gone")
      return value
    } catch (thrown) {
      this.numbers.splice(0, this.numbers.length, ...before)
      throw thrown
    }
  }

  override refresh(): void {
    this.refreshed++
  }
}

const given = () => {
  const database = new Numbers()
  const connection = new SynchronousConnection(database)
  const add = (number: number) => connection.transact(() => database.numbers.push(number))
  return { database, connection, add, read: connection.read(() => [...database.numbers]) }
}

const cause = (exit: Exit.Exit<unknown, unknown>): unknown => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return error instanceof InternalError ? String(error.cause) : error
}

describe("SynchronousDatabase", () => {
  it.effect("given a read that begins while something is written, then it waits until that has ended", () =>
    Effect.gen(function* () {
      const { connection, database, read } = given()
      let reading: Fiber.Fiber<unknown, unknown> | undefined
      const broken = connection.transact(() => {
        database.numbers.push(1)
        reading = Effect.runFork(read)
        throw new Error("No such page")
      })
      yield* Effect.exit(broken)
      assert.deepStrictEqual(reading && (yield* Fiber.join(reading)), [])
    })
  )

  it.effect("given work that throws, nothing of it is kept", () =>
    Effect.gen(function* () {
      const { add, connection, database, read } = given()
      const broken = connection.transact(() => {
        database.numbers.push(1)
        throw new Error("No such page")
      })
      assert.strictEqual(cause(yield* Effect.exit(broken)), "Error: No such page")
      assert.deepStrictEqual(yield* read, [])
      yield* add(3)
      assert.deepStrictEqual(database.numbers, [3])
    })
  )

  it.effect(
    "given an engine that throws at its commit, or at a read, the caller gets the error that errorOf returns",
    () =>
      Effect.gen(function* () {
        const { add, connection, database, read } = given()
        database.failing = true
        assert.strictEqual(cause(yield* Effect.exit(add(1))), "Error: The disk is gone")
        assert.deepStrictEqual(yield* read, [])
        const torn = connection.read(() => {
          throw new Error("No such page")
        })
        assert.strictEqual(cause(yield* Effect.exit(torn)), "Error: No such page")
      })
  )

  it.effect("given work that has begun, closing waits for it", () =>
    Effect.gen(function* () {
      const { connection } = given()
      const released = Promise.withResolvers<string>()
      const work = yield* Effect.forkChild(
        connection.work(() => released.promise),
        { startImmediately: true }
      )
      const closing = yield* Effect.forkChild(connection.close, { startImmediately: true })
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      const early = closing.pollUnsafe()
      released.resolve("done")
      assert.strictEqual(yield* Fiber.join(work), "done")
      yield* Fiber.join(closing)
      assert.isUndefined(early)
    })
  )

  it.effect("given reads, those outside of transactions and the first of a snapshot refresh, the others do not", () =>
    Effect.gen(function* () {
      const { connection, database, read } = given()
      yield* Effect.all([read, read])
      assert.strictEqual(database.refreshed, 2)
      yield* connection.snapshot(Effect.all([read, connection.snapshot(read)]))
      assert.strictEqual(database.refreshed, 3)
    })
  )
})
