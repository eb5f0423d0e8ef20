import { chmodSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openSqlite } from "../../test/support/opened.ts"
import { startProgram } from "../../test/support/program.ts"
import { temporaryFile } from "../../test/support/temporary.ts"

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
  `opening a file as somebody else${isRoot ? "" : " (skipped: only root can become another user)"}`,
  () => {
    it.effect("refuses a file that may not be written to, and says what to do", () =>
      Effect.gen(function* () {
        assert.match((yield* outcome({ folder: 0o777, file: 0o644 })) ?? "", refused)
      })
    )

    it.effect("refuses a file whose folder may not be written to, and says what to do", () =>
      Effect.gen(function* () {
        assert.match((yield* outcome({ folder: 0o755, file: 0o666 })) ?? "", refused)
        assert.match((yield* outcome({ folder: 0o755, file: 0o666 }, false)) ?? "", refused)
      })
    )

    it.effect("takes a file that may be written to", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* outcome({ folder: 0o777, file: 0o666 }), "written")
      })
    )
  }
)
