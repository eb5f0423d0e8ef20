import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startProgram } from "../../../test/support/program.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { Connection } from "../connection/Connection.ts"
import { configure, pagesInLog } from "../connection/configure.ts"
import { isBusy } from "../connection/errors.ts"
import { SharedCheckpoints } from "./SharedCheckpoints.ts"

const megabyte = 1_000_000

/** A writer of a file with a table of blobs. */
const writerOf = (file: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(file)),
      (database) => Effect.sync(() => database.close())
    ),
    (database) => {
      configure(database)
      database.exec("CREATE TABLE blobs (blob BLOB)")
      return new Connection(database)
    }
  )

const begin = (writer: Connection): void => {
  while (!writer.inTransaction) {
    try {
      writer.run("BEGIN IMMEDIATE")
    } catch (cause) {
      if (!isBusy(cause)) throw cause
    }
  }
}

/** Commits a quarter of a megabyte as a group does. */
const commit = (writer: Connection, checkpoints: SharedCheckpoints, areShared: boolean): void => {
  begin(writer)
  writer.run("INSERT INTO blobs VALUES (zeroblob(250000))")
  checkpoints.beforeCommit(areShared)
  writer.run("COMMIT")
  checkpoints.afterCommit()
  checkpoints.afterWaking()
}

const sizeOfLog = (file: string): number => statSync(`${file}-wal`).size

describe("given another process that writes all the time", () => {
  it.effect("then the log does not grow beyond 64 MiB and what is written until a checkpoint can be made", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const writer = yield* writerOf(file)
      const checkpoints = new SharedCheckpoints(writer)
      const other = yield* startProgram("append-blobs", file)
      assert.strictEqual(yield* other.line, "started")
      let largest = 0
      let growth = 0
      for (let written = 0; written < 300 * megabyte; written += megabyte / 4) {
        commit(writer, checkpoints, true)
        const size = sizeOfLog(file)
        growth = Math.max(growth, size - largest)
        largest = Math.max(largest, size)
      }
      // The other one goes on while this process is held up, perhaps for long.
      assert.isBelow(largest - growth, 100 * megabyte)
    })
  )
})

describe("given a process that writes alone", () => {
  it.effect("then SQLite makes the checkpoints, again after others have written", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const writer = yield* writerOf(file)
      const checkpoints = new SharedCheckpoints(writer)
      const automatic = () => writer.prepare("PRAGMA wal_autocheckpoint").get()?.wal_autocheckpoint
      assert.strictEqual(automatic(), pagesInLog)
      commit(writer, checkpoints, true)
      assert.strictEqual(automatic(), 0)
      commit(writer, checkpoints, false)
      assert.strictEqual(automatic(), pagesInLog)
    })
  )

  it.effect("when other processes have just written, then the log is used again from 16 MiB on", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const writer = yield* writerOf(file)
      const checkpoints = new SharedCheckpoints(writer)
      for (let written = 0; written < 60 * megabyte; written += megabyte / 4) commit(writer, checkpoints, true)
      assert.isBelow(sizeOfLog(file), 18 * megabyte)
    })
  )
})
