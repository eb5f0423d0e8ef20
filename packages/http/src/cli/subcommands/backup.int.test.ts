import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { printed, test } from "../../../test/support/cliTest.ts"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { exitStatusOf } from "../exitStatus.ts"
import { StopSignal } from "../stopSignal.ts"
import { run } from "./backup.ts"

// Standard output is that of the process here.
expectLogs("copy.db: ")

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A signal that comes as soon as a condition is true. */
const signalWhen = (condition: () => boolean) =>
  Effect.promise(async () => {
    while (!condition()) await turn()
    return "SIGTERM" as const
  })

/** Runs a backup that a signal stops, and returns how it ended and the files that it left. */
const stopped = (when: (folder: string) => boolean) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const database = join(folder, "pets.db")
    const petstore = yield* Effect.promise(() => createPetstore({ storage: sqlite(database) }))
    yield* Effect.promise(() => petstore.close())
    const exit = yield* Effect.exit(
      Effect.provideService(
        run({
          database: { storage: { kind: "sqlite", file: database }, schema: "petstore", tablePrefix: "petstore_" },
          file: join(folder, "copy.db")
        }),
        StopSignal,
        signalWhen(() => when(folder))
      )
    )
    return { code: exitStatusOf(exit).code, isDone: Exit.isSuccess(exit), names: readdirSync(folder) }
  })

describe("petstore backup", () => {
  test("given a new file, then it is a copy, and its size is printed", ({ folder, output, run, write }) =>
    Effect.gen(function* () {
      yield* output("import", write("pets.csv", "name,category\nTom,Cat\n"))
      const copy = join(folder, "copy.db")
      assert.match(yield* output("backup", copy), /copy\.db: \d+ bytes$/)
      const there = yield* run("verify", "--storage", `sqlite:${copy}`)
      assert.strictEqual(there.code, 0)
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.includes("partial")),
        []
      )
    }))

  test("given a file that exists, then it stays as it is, and the exit code is 2", ({ output, run, write }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      const copy = write("copy.db", "mine")
      assert.deepStrictEqual(printed(yield* run("backup", copy)), {
        code: 2,
        stderr: `petstore: "${copy}" exists already; name a new file.`,
        stdout: ""
      })
      assert.strictEqual(readFileSync(copy, "utf8"), "mine")
    }))

  it.live("given a signal at the beginning, then the exit code shows it, and no file is left", () =>
    Effect.gen(function* () {
      const { code, names } = yield* stopped(() => true)
      assert.strictEqual(code, 143)
      assert.isTrue(names.every((name) => name.startsWith("pets.db")))
    })
  )

  it.live("given a signal once the file exists, then the backup succeeds", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) {
        const { code, isDone } = yield* stopped((folder) => existsSync(join(folder, "copy.db")))
        assert.deepStrictEqual([code, isDone], [0, true])
      }
    })
  )

  it.live("given a signal while it copies, then it succeeds with the complete file, or fails without one", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) {
        const { code, names } = yield* stopped((folder) => readdirSync(folder).some((name) => /partial/.test(name)))
        assert.strictEqual(code, names.includes("copy.db") ? 0 : 143)
        assert.isFalse(names.some((name) => name.includes("partial")))
      }
    })
  )
})
