import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { startPetstore } from "../../../test/support/PetstoreProcess.ts"

const live = (name: string, body: (folder: string) => Effect.Effect<void, never, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(Effect.flatMap(temporaryFolder, body)))

const send = (signal: NodeJS.Signals, { child }: { readonly child: { kill(signal: NodeJS.Signals): boolean } }) =>
  Effect.sync(() => child.kill(signal))

const waitForFile = (file: string): Effect.Effect<void> =>
  Effect.suspend(() => (existsSync(file) ? Effect.void : Effect.delay(waitForFile(file), "5 millis")))

describe("petstore import", () => {
  live("given Ctrl-C, then committed rows stay, and the same command resumes after them", (folder) =>
    Effect.gen(function* () {
      const file = join(folder, "pets.csv")
      const rows = 30_000
      writeFileSync(file, `name,category\n${Array.from({ length: rows }, (_, at) => `Pet ${at},Cat\n`).join("")}`)
      const storage = ["--storage", `sqlite:${join(folder, "pets.db")}`]
      const stopped = yield* startPetstore(["import", file, ...storage])
      yield* waitForFile(join(folder, "pets.db-wal"))
      yield* send("SIGINT", stopped)
      assert.strictEqual(yield* stopped.ended, 130)
      assert.strictEqual(stopped.stdout(), "")
      const said = stopped.stderr()
      const [, line, imported] = /^petstore: The rows up to line (\d+) are done, (\d+) imported; run/.exec(said) ?? []
      assert.match(said, /^petstore: (Nothing was imported|The rows .* run the same command again to resume)\.\n$/)

      const rest = yield* startPetstore(["import", file, ...storage])
      assert.strictEqual(yield* rest.ended, 0, rest.stderr())
      assert.include(rest.stdout(), `imported ${rows}\n`)
      assert.strictEqual(
        rest.stderr(),
        line === undefined ? "" : `Resuming after line ${line}: ${imported} imported and 0 rejected so far.\n`
      )
      const database = new DatabaseSync(join(folder, "pets.db"))
      const { pets } = database.prepare("SELECT count(*) AS pets FROM petstore_pets").get() ?? {}
      database.close()
      assert.strictEqual(pets, rows)
    })
  )

  live("given an input that cannot be read, then one line shows the reason, and no database is created", (folder) =>
    Effect.gen(function* () {
      if (!existsSync("/proc/self/mem")) return yield* Effect.logWarning("Skipped: there is no /proc here")
      const args = ["import", "/proc/self/mem", "--format", "csv", "--storage", "sqlite:pets.db"]
      const done = yield* startPetstore(args, { cwd: folder })
      assert.strictEqual(yield* done.ended, 1)
      assert.match(done.stderr(), /^petstore: The file cannot be read: .*\. Nothing was imported\.\n$/)
      assert.isFalse(existsSync(join(folder, "pets.db")))
    })
  )

  live("given an input beside which nothing can be written, then the list is in the current folder", (folder) =>
    Effect.gen(function* () {
      if (!existsSync("/proc/version")) return yield* Effect.logWarning("Skipped: there is no /proc here")
      const args = ["import", "/proc/version", "--format", "ndjson", "--storage", "sqlite:pets.db"]
      const done = yield* startPetstore(args, { cwd: folder })
      assert.strictEqual(yield* done.ended, 0)
      assert.include(done.stdout(), "rejected 1, listed in version.rejected.ndjson\n")
      assert.isTrue(existsSync(join(folder, "version.rejected.ndjson")))
    })
  )
})
