import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { isDamage } from "../connection/errors.ts"
import { WorkerConnection, WorkerConnections } from "./WorkerConnection.ts"

/** A statement that runs for a few hundred milliseconds. */
const slow = `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000000) SELECT max(x) AS greatest FROM n`

const connected = Effect.gen(function* () {
  const file = yield* temporaryFile
  const database = new DatabaseSync(file)
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1), (9007199254740993)")
  database.close()
  const connections = new WorkerConnections()
  const connection = (yield* connections.connect(file)) ?? assert.fail("This runtime starts no threads")
  return { connection, connections, file }
})

const rowsOf = (connection: WorkerConnection, sql: string) =>
  Effect.gen(function* () {
    const rows: Array<unknown> = []
    yield* connection.run(sql, (batch) => rows.push(...batch))
    return rows
  })

const pause = (milliseconds: number) =>
  Effect.promise(() => new Promise((resolve) => setTimeout(resolve, milliseconds)))

describe("a connection in a worker thread", () => {
  it.live("returns rows with whole numbers as bigint, in batches", () =>
    Effect.gen(function* () {
      const { connection } = yield* connected
      assert.deepStrictEqual(yield* rowsOf(connection, "SELECT x FROM t"), [{ x: 1n }, { x: 9007199254740993n }])
      const sizes: Array<number> = []
      const many = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1200) SELECT x FROM n"
      yield* connection.run(many, (batch) => sizes.push(batch.length))
      assert.deepStrictEqual(sizes, [500, 500, 200])
      yield* connection.close
    })
  )

  it.live("fails with the error of SQLite, and can run further statements", () =>
    Effect.gen(function* () {
      const { connection } = yield* connected
      const error = yield* Effect.flip(rowsOf(connection, "SELECT x FROM missing"))
      assert.isTrue(isDamage(error))
      assert.match(String(error), /no such table: missing/)
      assert.lengthOf(yield* rowsOf(connection, "SELECT x FROM t"), 2)
      yield* connection.close
    })
  )

  it.live("fails to open a file that is not a database, and leaves no thread", () =>
    Effect.gen(function* () {
      const connections = new WorkerConnections()
      const error = yield* Effect.flip(connections.connect("/nowhere/petstore.db"))
      assert.strictEqual(error._tag, "StorageUnavailable")
      assert.match(String(error.cause), /unable to open database file/)
      yield* connections.close
    })
  )

  it.live("does not make an interrupted caller wait for the statement", () =>
    Effect.gen(function* () {
      const { connection, connections, file } = yield* connected
      const running = yield* Effect.forkChild(rowsOf(connection, slow))
      yield* pause(50)
      yield* Fiber.interrupt(running)
      const closing = yield* Effect.forkChild(connections.close)
      yield* pause(0)
      assert.isUndefined(closing.pollUnsafe(), "the thread had ended")
      yield* Fiber.join(closing)
      assert.isFalse(existsSync(`${file}-wal`), "the connection is open")
    })
  )

  it.live("fails running statements with ShuttingDown when it closes, and closes after they have ended", () =>
    Effect.gen(function* () {
      const { connection, connections, file } = yield* connected
      const running = yield* Effect.forkChild(Effect.flip(rowsOf(connection, slow)))
      yield* pause(50)
      yield* connections.close
      assert.propertyVal(yield* Fiber.join(running), "_tag", "ShuttingDown")
      assert.isFalse(existsSync(`${file}-wal`), "the connection is open")
      assert.propertyVal(yield* Effect.flip(rowsOf(connection, "SELECT 1")), "_tag", "ShuttingDown")
      assert.propertyVal(yield* Effect.flip(connections.connect(file)), "_tag", "ShuttingDown")
    })
  )

  it.live("does not make an interrupted caller wait until its thread has started", () =>
    Effect.gen(function* () {
      const { connections, file } = yield* connected
      const connecting = yield* Effect.forkChild(Effect.uninterruptible(connections.connect(file)), {
        startImmediately: true
      })
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(connecting), { startImmediately: true })
      yield* Effect.yieldNow
      assert.isDefined(interrupting.pollUnsafe(), "it waits")
      yield* connections.close
    })
  )

  for (const [what, source, message] of [
    ["exits", "process.exit(3)", /it exited with code 3/],
    ["throws", "throw new Error('out of luck')", /out of luck/],
    ["exits later", "setTimeout(() => process.exit(4), 50)", /it exited with code 4/]
  ] as const) {
    it.live(`fails with StorageUnavailable if its thread ${what}`, () =>
      Effect.gen(function* () {
        const connection = new WorkerConnection(new Worker(source, { eval: true }))
        const error = yield* Effect.flip(connection.opened)
        assert.propertyVal(error, "_tag", "StorageUnavailable")
        assert.match(String(error), message)
        yield* connection.close
      })
    )
  }
})
