import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { type Program, startProgram } from "../../../test/support/program.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

expectLogs("Nothing can be written to", "can be written to again")

const fillWithZeros = (path: string): void => {
  const { size } = statSync(path)
  truncateSync(path)
  truncateSync(path, size)
}

const losses: ReadonlyArray<readonly [what: string, lose: (path: string) => void]> = [
  ["emptied", (path) => truncateSync(path)],
  ["cut to 32 bytes", (path) => truncateSync(path, 32)],
  ["cut to half", (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ["filled with zeros", fillWithZeros],
  ["deleted", (path) => rmSync(path)],
  ["moved", (path) => renameSync(path, `${path}.moved`)],
  [
    "replaced",
    (path) => {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    }
  ]
]

const ends: ReadonlyArray<readonly [how: string, end: (program: Program) => Effect.Effect<unknown>]> = [
  ["closes the petstore", ({ send }) => send("close")],
  ["gets SIGTERM", ({ process }) => Effect.sync(() => process.kill("SIGTERM"))],
  ["ends without closing it", ({ send }) => send("leave")]
]

/** A program with 300 pets in its database file, and 60 more in the log. */
const started = Effect.gen(function* () {
  const file = yield* temporaryFile
  const program = yield* startProgram("lose-files", file)
  assert.strictEqual(yield* program.line, "started")
  return { file, program }
})

const write = (program: Program) => Effect.andThen(program.send("write"), program.line)

/** How many pets a database has. Throws if it is damaged. */
const petsIn = (file: string): unknown => {
  const database = new DatabaseSync(file)
  try {
    assert.strictEqual(database.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok")
    return database.prepare("SELECT count(*) AS pets FROM petstore_pets").get()?.pets
  } finally {
    database.close()
  }
}

/** Whether the system ends a process that uses the file: a part is gone of what is mapped into its memory. */
const isMapped = (suffix: string, what: string): boolean => suffix === "-shm" && /emptied|cut/.test(what)

for (const suffix of ["-wal", "-shm"]) {
  for (const [what, lose] of losses) {
    // SQLite reads an index of zeros as a new one, and makes it again from the log.
    if (suffix === "-shm" && what === "filled with zeros") continue
    describe(`given that petstore.db${suffix} was ${what} while it was open`, () => {
      const outcome = isMapped(suffix, what) ? "the process is ended by the system" : "no write is acknowledged"
      it.effect(`then ${outcome}, and the database file is whole however the process ends`, () =>
        Effect.forEach(
          suffix === "-shm" ? ends.slice(0, 1) : ends,
          ([how, end]) =>
            Effect.gen(function* () {
              const { file, program } = yield* started
              lose(file + suffix)
              if (isMapped(suffix, what)) {
                assert.isUndefined(yield* write(program))
                assert.strictEqual(yield* program.exit, "SIGBUS")
              } else {
                const outcomes = [yield* write(program), yield* write(program)]
                assert.match(outcomes.join(), /^(storage_unavailable|commit_unknown),storage_unavailable$/)
                yield* end(program)
                yield* program.exit
              }
              const alone = `${file}.alone`
              copyFileSync(file, alone)
              assert.strictEqual(petsIn(alone), 300, how)
              assert.isAtLeast(Number(petsIn(file)), 300, how)
            }),
          { concurrency: "unbounded", discard: true }
        )
      )
    })
  }
}

describe("given that nothing was lost", () => {
  for (const [how, end] of ends) {
    it.effect(`when the process ${how}, then all is in the database file, and no log is left`, () =>
      Effect.gen(function* () {
        const { file, program } = yield* started
        assert.strictEqual(yield* write(program), "ok")
        yield* end(program)
        assert.strictEqual(yield* program.exit, 0)
        assert.isFalse(existsSync(`${file}-wal`))
        assert.strictEqual(petsIn(file), 361)
      })
    )
  }
})

describe("given an app with a connection of its own to the file", () => {
  it.effect("when the log was emptied, then the database file is whole after both were closed", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const database = new DatabaseSync(file)
      const petstore = yield* Effect.promise(() => createPetstore({ storage: sqlite({ database }) }))
      const { id: categoryId } = yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
      database.exec("SELECT 1 FROM petstore_pets; PRAGMA wal_checkpoint(TRUNCATE)")
      // Changes other pages than the write after the loss, which writes its own anew.
      yield* Effect.promise(() => petstore.pets.create({ name: "Rex", categoryId }))
      fillWithZeros(`${file}-wal`)
      const { cause } = yield* Effect.flip(Effect.tryPromise(() => petstore.categories.create({ name: "Mice" })))
      assert.propertyVal(cause, "code", "commit_unknown")
      yield* Effect.promise(() => petstore.close())
      database.close()
      const alone = `${file}.alone`
      copyFileSync(file, alone)
      assert.strictEqual(petsIn(alone), 0)
    })
  )
})

describe("given that the database file was cut off while it was open", () => {
  for (const [what, lose] of losses.slice(0, 3)) {
    it.effect(`when it was ${what}, then nothing is acknowledged, and opening it reports that events are gone`, () =>
      Effect.gen(function* () {
        const { file, program } = yield* started
        lose(file)
        for (let n = 0; n < 3; n++) assert.strictEqual(yield* write(program), "storage_unavailable")
        yield* program.send("close")
        assert.strictEqual(yield* program.exit, 0)
        const error = yield* Effect.flip(Effect.tryPromise(() => createPetstore({ storage: sqlite(file) })))
        assert.match(String(error.cause), /Cannot use .*petstore\.db: /)
      })
    )
  }
})
