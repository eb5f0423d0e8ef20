import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { commandOf, startCommand } from "../../../test/support/program.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"

const canTrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0
const traced = canTrace ? it.effect : it.effect.skip
const reason = canTrace ? "" : " (skipped: there is no strace that may trace)"

describe("a backup that has its name", () => {
  traced(`was synced before it got it, and so was its folder after${reason}`, () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const folder = dirname(file)
      const log = join(folder, "calls.txt")
      const target = join(folder, "backup.db")
      const strace = ["strace", "-f", "-y", "-e", "trace=pwrite64,fsync,fdatasync,/rename", "-o", log] as const
      const program = yield* startCommand([...strace, ...(yield* commandOf("make-backup", file, target))])
      assert.strictEqual(yield* program.exit, 0)
      assert.isTrue(existsSync(target))

      const calls = readFileSync(log, "utf8").split("\n")
      const renamed = calls.findIndex((line) => /rename\w*\(/.test(line) && line.includes(`"${target}"`))
      assert.isAbove(renamed, -1)
      const ofCopy = calls.slice(0, renamed).filter((line) => line.includes(".partial>"))
      assert.match(ofCopy.at(-1) ?? "", /f(data)?sync\(/, "the copy is synced last")
      const synced = calls.slice(renamed).some((line) => /f(data)?sync\(/.test(line) && line.includes(`<${folder}>`))
      assert.isTrue(synced, "the folder is synced after the renaming")
    })
  )
})
