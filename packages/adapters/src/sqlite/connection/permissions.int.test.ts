import { chmodSync, readdirSync, statSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { startProgram } from "../../../test/support/program.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

const isRoot = process.getuid?.() === 0

/** How it goes where a user who owns nothing opens a store of these permissions and writes to it. */
const outcome = (permissions: { readonly folder: number; readonly file: number }, made = true) =>
  Effect.gen(function* () {
    const file = yield* temporaryFile
    if (made) {
      yield* Effect.scoped(openSqlite(file))
      chmodSync(file, permissions.file)
    }
    chmodSync(dirname(file), permissions.folder)
    return yield* (yield* startProgram("open-as-nobody", file)).line
  })

const refused =
  /^InternalError: Cannot use .*petstore\.db: .*\. Its folder must exist, and this process must be allowed to write to the folder and to the files in it\.$/

describe.runIf(isRoot)(
  `opening a file as another user${isRoot ? "" : " (skipped: only root can become another user)"}`,
  () => {
    it.effect("rejects a read-only file, and the error shows what to do", () =>
      Effect.gen(function* () {
        assert.match((yield* outcome({ folder: 0o777, file: 0o644 })) ?? "", refused)
      })
    )

    it.effect("rejects a file in a read-only folder, and the error shows what to do", () =>
      Effect.gen(function* () {
        assert.match((yield* outcome({ folder: 0o755, file: 0o666 })) ?? "", refused)
        assert.match((yield* outcome({ folder: 0o755, file: 0o666 }, false)) ?? "", refused)
      })
    )

    it.effect("accepts a writable file", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* outcome({ folder: 0o777, file: 0o666 }), "written")
      })
    )
  }
)

/** The files in a folder whose permissions are others than these. */
const othersThan = (folder: string, mode: number) =>
  readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o777) !== mode)

describe("the files of a store", () => {
  it.effect("are accessible to their owner only: the database, its log with index and head, and backups", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const petstore = yield* Effect.acquireRelease(
        Effect.promise(() => createPetstore({ storage: sqlite(file) })),
        (opened) => Effect.promise(() => opened.close())
      )
      yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
      yield* Effect.promise(() => petstore.backup(`${file}.copy`))
      assert.sameMembers(readdirSync(dirname(file)), [
        "petstore.db",
        "petstore.db-head",
        "petstore.db-shm",
        "petstore.db-wal",
        "petstore.db.copy"
      ])
      assert.deepStrictEqual(othersThan(dirname(file), 0o600), [])
    })
  )

  it.effect("are accessible to their owner only if a link leads to a file that does not exist yet", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      symlinkSync(`${file}.real`, file)
      yield* openSqlite(file)
      assert.deepStrictEqual(othersThan(dirname(file), 0o600), [])
    })
  )

  // A usual umask takes permissions of the last from a file that is created.
  for (const mode of [0o640, 0o666]) {
    it.effect(`keep the permissions ${mode.toString(8)} of an existing file, the head of the log too`, () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* Effect.scoped(openSqlite(file))
        chmodSync(file, mode)
        const petstore = yield* Effect.acquireRelease(
          Effect.promise(() => createPetstore({ storage: sqlite(file) })),
          (opened) => Effect.promise(() => opened.close())
        )
        yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
        assert.include(readdirSync(dirname(file)), "petstore.db-head")
        assert.deepStrictEqual(othersThan(dirname(file), mode), [])
      })
    )
  }
})
