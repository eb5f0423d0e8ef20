import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openStore } from "../../packages/adapters/src/sqlite/store.ts"
import { openSqlite } from "../../packages/adapters/test/support/openSqlite.ts"
import { commandOf } from "../../packages/adapters/test/support/program.ts"
import { addCategory, addPet, petNames } from "../../packages/adapters/test/support/rows.ts"
import { temporaryFile } from "../../packages/adapters/test/support/temporary.ts"
import { compileLibrary, libraryProblem } from "../preloadedLibraries.ts"
import { crash } from "./crashes.ts"

const header = 32
const pageSize = 4096
const frame = 24 + pageSize

describe("a file after a crash", () => {
  it.effect(
    "of its writer, or of the machine, has everything that was acknowledged, whole, and can be used at once",
    () =>
      Effect.gen(function* () {
        const folder = dirname(yield* temporaryFile)
        const [program, ...args] = yield* commandOf("write-pets")
        const library = libraryProblem() === undefined ? join(folder, "recordedWrites.so") : undefined
        if (library !== undefined) compileLibrary("recordedWrites", library)
        const problems = yield* Effect.promise(() =>
          crash({
            commandOf: (...own) => [program, ...args, ...own],
            ...(library === undefined ? {} : { library }),
            parent: folder,
            seed: 1,
            kills: 8,
            losses: library === undefined ? 0 : 8
          })
        )
        assert.deepStrictEqual(problems, [])
      })
  )

  it.effect("of the machine has a prefix of what was committed, wherever its log was cut off or damaged", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const { store, writer } = yield* openStore({ file })
      const categoryId = yield* store.run((tx) => addCategory(tx))
      writer.database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
      const names = ["A", "B", "C", "D"]
      for (const name of names) yield* store.run((tx) => addPet(tx, categoryId, name))
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
