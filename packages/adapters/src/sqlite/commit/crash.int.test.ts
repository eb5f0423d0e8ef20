import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { startProgram } from "../../../test/support/program.ts"
import { addCategory, addPet, petNames } from "../../../test/support/rows.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { openStore } from "../store.ts"

const cycles = 8

/** Runs a writer until it has acknowledged so many pets, kills it, and says which ones it had acknowledged by then. */
const killAfter = (file: string, concurrency: number, acknowledgements: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* startProgram("write-pets", file, `${concurrency}`)
      assert.strictEqual(yield* writer.line, "started")
      const seen: Array<string> = []
      while (seen.length < acknowledgements) seen.push((yield* writer.line) ?? assert.fail("the writer has ended"))
      writer.process.kill("SIGKILL")
      assert.strictEqual(yield* writer.exit, "SIGKILL")
      return [...seen, ...(yield* writer.rest)]
    })
  )

const header = 32
const pageSize = 4096
const frame = 24 + pageSize

describe("a file after a crash", () => {
  it.effect("of its writer has everything that was acknowledged, whole, and can be used at once", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const acknowledged: Array<string> = []
      for (let cycle = 0; cycle < cycles; cycle++) {
        acknowledged.push(...(yield* killAfter(file, cycle % 2 === 0 ? 1 : 64, 1 + 37 * cycle)))
        yield* Effect.scoped(
          Effect.gen(function* () {
            const store = yield* openSqlite(file)
            const present = new Set(yield* petNames(store))
            for (const name of acknowledged) assert.isTrue(present.has(name), `${name} was acknowledged`)
            // What was under way may be there too: one group for each crash.
            assert.isAtMost(present.size, acknowledged.length + 64 * (cycle + 1))
            assert.deepStrictEqual(yield* store.inspect, [])
            yield* store.ready
          })
        )
      }
    })
  )

  it.effect("of the machine has a prefix of what was committed, wherever its log was cut off or damaged", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { store, writer } = yield* openStore({ file })
      const categoryId = yield* store.transact(addCategory(store))
      writer.database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      const names = ["A", "B", "C", "D"]
      for (const name of names) yield* store.transact(addPet(store, categoryId, name))
      const log = readFileSync(`${file}-wal`)
      const frames = (log.length - header) / frame
      assert.isTrue(Number.isInteger(frames) && frames > names.length)
      /** How many transactions are whole in so many frames: the last frame of each contains the size of the file. */
      const committed = (count: number) =>
        Array.from({ length: count }, (_, n) => log.readUInt32BE(header + n * frame + 4)).filter((size) => size > 0)
          .length

      const recovered = (damaged: Buffer, where: string) =>
        Effect.scoped(
          Effect.gen(function* () {
            const copy = join(dirname(file), `${where}.db`)
            copyFileSync(file, copy)
            writeFileSync(`${copy}-wal`, damaged)
            const after = yield* openSqlite(copy)
            assert.deepStrictEqual(yield* after.inspect, [])
            return yield* petNames(after)
          })
        )

      for (let count = 0; count <= frames; count++) {
        const expected = names.slice(0, committed(count))
        const end = header + count * frame
        assert.deepStrictEqual(yield* recovered(log.subarray(0, end), `cut-${count}`), expected)
        if (count === frames) break
        const torn = log.subarray(0, end + frame / 2)
        assert.deepStrictEqual(yield* recovered(torn, `torn-${count}`), expected)
        const flipped = Buffer.from(log)
        flipped.writeUInt8(flipped.readUInt8(end + 1000) ^ 1, end + 1000)
        assert.deepStrictEqual(yield* recovered(flipped, `flipped-${count}`), expected)
      }
    })
  )
})
