import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { exitStatusOf } from "../exitStatus.ts"
import { StopSignal } from "../stopSignal.ts"
import { run } from "./backup.ts"

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A signal that comes as soon as this is so. */
const signalWhen = (isSo: () => boolean) =>
  Effect.promise(async () => {
    while (!isSo()) await turn()
    return "SIGTERM" as const
  })

/** How a backup ends, and what it leaves in its folder, where a signal comes so. */
const stopped = (when: (folder: string) => boolean) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const database = join(folder, "pets.db")
    const petstore = yield* Effect.promise(() => createPetstore({ storage: sqlite(database) }))
    yield* Effect.promise(() => petstore.close())
    const exit = yield* Effect.exit(
      Effect.provideService(
        run({
          database: { storage: { kind: "sqlite", file: database }, tablePrefix: "petstore_" },
          file: join(folder, "copy.db")
        }),
        StopSignal,
        signalWhen(() => when(folder))
      )
    )
    return { code: exitStatusOf(exit).code, isDone: Exit.isSuccess(exit), names: readdirSync(folder) }
  })

describe("petstore backup", () => {
  it.live("given a signal at the beginning, then it says so and leaves nothing", () =>
    Effect.gen(function* () {
      const { code, names } = yield* stopped(() => true)
      assert.strictEqual(code, 143)
      assert.isTrue(names.every((name) => name.startsWith("pets.db")))
    })
  )

  it.live("given a signal once the file is there, then it is done", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) {
        const { code, isDone } = yield* stopped((folder) => existsSync(join(folder, "copy.db")))
        assert.deepStrictEqual([code, isDone], [0, true])
      }
    })
  )

  it.live("given a signal while it copies, then it leaves the whole file and is done, or nothing and says so", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) {
        const { code, names } = yield* stopped((folder) => readdirSync(folder).some((name) => /partial/.test(name)))
        assert.strictEqual(code, names.includes("copy.db") ? 0 : 143)
        assert.isFalse(names.some((name) => name.includes("partial")))
      }
    })
  )
})
