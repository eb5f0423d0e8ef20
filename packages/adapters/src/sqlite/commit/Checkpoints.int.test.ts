import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startProgram } from "../../../test/support/program.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { Connection } from "../connection/Connection.ts"
import { configure } from "../connection/configure.ts"
import { DatabaseFiles } from "../connection/DatabaseFiles.ts"
import { isBusy } from "../connection/errors.ts"
import { Checkpoints, pagesInLog } from "./Checkpoints.ts"

const megabyte = 1_000_000

const connect = (file: string, options = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(file, options)),
      (database) => Effect.sync(() => database.close())
    ),
    (database) => new Connection(database)
  )

/** A writer of a file with a table of blobs. */
const writerOf = (file: string) =>
  Effect.gen(function* () {
    const writer = yield* connect(file)
    configure(writer.database)
    writer.run("CREATE TABLE blobs (blob BLOB)")
    const reader = yield* connect(file, { readOnly: true })
    const files = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseFiles(file, writer, reader)),
      (opened) => Effect.sync(() => opened.close())
    )
    return { writer, files, checkpoints: new Checkpoints(writer, files) }
  })

type Writer = Effect.Success<ReturnType<typeof writerOf>>

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
const commit = ({ checkpoints, files, writer }: Writer, areShared: boolean): void => {
  begin(writer)
  assert.isUndefined(files.problemOfSizes())
  writer.run("INSERT INTO blobs VALUES (zeroblob(250000))")
  writer.run("COMMIT")
  assert.isUndefined(files.problemAfterCommit())
  checkpoints.afterCommit(areShared)
  checkpoints.afterWaking(areShared)
}

const sizeOfLog = (file: string): number => statSync(`${file}-wal`).size

describe("given another process that writes all the time", () => {
  it.effect("then the log does not grow beyond 64 MiB and what is written until a checkpoint can be made", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const writer = yield* writerOf(file)
      const other = yield* startProgram("append-blobs", file)
      assert.strictEqual(yield* other.line, "started")
      let largest = 0
      let growth = 0
      for (let written = 0; written < 300 * megabyte; written += megabyte / 4) {
        commit(writer, true)
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
  it.effect("then the log is used again from 16 MiB on, and is not moved by SQLite within a commit", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const writer = yield* writerOf(file)
      assert.strictEqual(writer.writer.prepare("PRAGMA wal_autocheckpoint").get()?.wal_autocheckpoint, 0)
      for (let written = 0; written < 60 * megabyte; written += megabyte / 4) commit(writer, false)
      assert.isBelow(sizeOfLog(file), 18 * megabyte)
    })
  )

  it.effect("when a reader held up the last checkpoint, then the log is used again once it is gone", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const writer = yield* writerOf(file)
      const other = yield* connect(file)
      other.run("BEGIN")
      other.run("SELECT count(*) FROM blobs")
      for (let written = 0; written < 40 * megabyte; written += megabyte / 4) commit(writer, false)
      const size = sizeOfLog(file)
      assert.isAbove(size, 40 * megabyte)
      other.run("END")
      for (let written = 0; written < 40 * megabyte; written += megabyte / 4) commit(writer, false)
      assert.isBelow(sizeOfLog(file) - size, megabyte)
    })
  )

  it.effect("when other processes have just written, then the log is used again from 16 MiB on", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const writer = yield* writerOf(file)
      for (let written = 0; written < 60 * megabyte; written += megabyte / 4) commit(writer, true)
      assert.isBelow(sizeOfLog(file), 18 * megabyte)
    })
  )
})

describe("given a long log", () => {
  for (const areShared of [true, false]) {
    it.effect(`when it was lost, then nothing of it is moved ${areShared ? "while others write" : "alone"}`, () =>
      Effect.gen(function* () {
        const file = yield* temporaryFileInMemory
        const { writer } = yield* writerOf(file)
        const moves = (areLost: boolean): boolean => {
          writer.run("INSERT INTO blobs VALUES (zeroblob(250000))")
          const { size } = statSync(file)
          const checkpoints = new Checkpoints(writer, { areLost, pagesInLog: { all: 4 * pagesInLog, unmoved: 1 } })
          checkpoints.afterCommit(areShared)
          checkpoints.afterWaking(areShared)
          return statSync(file).size > size
        }
        assert.deepStrictEqual([moves(true), moves(false)], [false, true])
      })
    )
  }
})
