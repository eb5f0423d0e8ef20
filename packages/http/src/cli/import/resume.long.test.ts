import { execFileSync } from "node:child_process"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { type PetstoreProcess, startPetstore } from "../../../test/support/PetstoreProcess.ts"

/** How many processes are killed; more with `KILLS=50`. */
const kills = Number(process.env.KILLS ?? 3)
/** Which moments: the same seed kills at the same times. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const rows = kills * 2_500
const isRejected = (at: number): boolean => at % 97 === 5

interface Place {
  readonly file: string
  readonly database: string
  readonly start: (...flags: ReadonlyArray<string>) => Effect.Effect<PetstoreProcess, never, Scope.Scope>
}

const timeout = 60_000 + kills * 10_000

const live = (name: string, body: (place: Place) => Effect.Effect<void, never, Scope.Scope>) => {
  const inFolder = (folder: string) => {
    const file = join(folder, "pets.csv")
    const line = (at: number) => (isRejected(at) ? `,Cat ${at}\n` : `Pet ${at},Cat ${at % 50}\n`)
    writeFileSync(file, `name,category\n${Array.from({ length: rows }, (_, at) => line(at)).join("")}`)
    const database = join(folder, "pets.db")
    const start = (...flags: ReadonlyArray<string>) =>
      startPetstore(["import", file, "--storage", `sqlite:${database}`, ...flags])
    return body({ file, database, start })
  }
  it.live(name, () => Effect.scoped(Effect.flatMap(temporaryFolder, inFolder)), timeout)
}

const imported = Array.from({ length: rows }, (_, at) => at).filter((at) => !isRejected(at))
const rejected = Array.from({ length: rows }, (_, at) => at).filter(isRejected)

const select = (database: string, sql: string): ReadonlyArray<unknown> => {
  const opened = new DatabaseSync(database, { readOnly: true })
  try {
    return opened
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0])
  } finally {
    opened.close()
  }
}

const names = ({ database }: Place) => select(database, "SELECT name FROM petstore_pets ORDER BY id")

/** How many batches are done, and 1 for the file; 0 before. */
const batchesIn = ({ database }: Place): number => {
  try {
    return Number(select(database, "SELECT count(*) FROM petstore_idempotency")[0])
  } catch {
    return 0
  }
}

const goesBeyond = (place: Place, batches: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    batchesIn(place) > batches ? Effect.void : Effect.delay(goesBeyond(place, batches), "5 millis")
  )

/** Each row of the file is there exactly once, and every rejected one is in the list. */
const holdsEachRowOnce = (place: Place) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(
      names(place),
      imported.map((at) => `Pet ${at}`)
    )
    assert.deepStrictEqual(readFileSync(`${place.file}.rejected.csv`, "utf8").split("\n"), [
      "line,reason,name,category",
      ...rejected.map((at) => `${at + 2},name is empty,,Cat ${at}`),
      ""
    ])
    const report = yield* Effect.flatMap(Petstore, ({ verify }) => verify).pipe(
      Effect.provide(Petstore.layer(sqlite(place.database))),
      Effect.orDie
    )
    assert.deepStrictEqual(
      report.checks.filter(({ violations }) => violations > 0),
      []
    )
  })

/** A number from 0 to 1 for each kill of this seed (a linear congruential generator). */
const momentOf = (kill: number): number => {
  let state = seed
  for (let round = 0; round <= kill; round++) state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
  return state / 2 ** 32
}

describe("an import that is killed", () => {
  live(
    `given kill -9 at ${kills} random moments (SEED=${seed}), then in the end each row is there exactly once`,
    (place) =>
      Effect.gen(function* () {
        for (let kill = 0; kill < kills; kill++) {
          const before = batchesIn(place)
          const running = yield* place.start()
          yield* Effect.raceFirst(goesBeyond(place, before + 1), running.ended)
          yield* Effect.raceFirst(Effect.sleep(momentOf(kill) * 300), running.ended)
          running.child.kill("SIGKILL")
          const code = yield* running.ended
          if (code === 0) break
        }
        const last = yield* place.start()
        const code = yield* last.ended
        const done = /^petstore: This file was imported on /.test(last.stderr())
        assert.strictEqual(code, done ? 1 : 0, last.stderr())
        if (!done) {
          const said = last.stdout().split("\n")
          assert.include(said, `imported ${imported.length}`)
          assert.include(said, `  ${rejected.length} rows: name is empty`)
        }
        yield* holdsEachRowOnce(place)
      })
  )
})

describe("two imports of one file at the same time", () => {
  live("given both at once, then each row is there exactly once", (place) =>
    Effect.gen(function* () {
      const first = yield* place.start()
      yield* Effect.sleep("600 millis")
      const second = yield* place.start()
      assert.strictEqual(yield* first.ended, 0, first.stderr())
      const code = yield* second.ended
      assert.isTrue(code === 0 || /This file was imported on/.test(second.stderr()), second.stderr())
      yield* holdsEachRowOnce(place)
    })
  )
})

describe("a file that grows while it is imported", () => {
  live(
    "given the line that is named, when what was appended is imported, then each row is there exactly once",
    (place) =>
      Effect.gen(function* () {
        // Far more than is read ahead, so that the end is still to be read when the first rows are committed.
        const expected = Array.from({ length: 40_000 }, (_, at) => `Pet ${at}`)
        const lines = expected.map((name) => `${name},Cat,${"-".repeat(120)}\n`)
        writeFileSync(place.file, `name,category,notes\n${lines.join("")}`)
        const first = yield* place.start()
        yield* Effect.raceFirst(goesBeyond(place, 1), first.ended)
        appendFileSync(place.file, "Late,Cat,\n")
        assert.strictEqual(yield* first.ended, 1)
        assert.notInclude(first.stderr(), "run the same command")
        const [, line = ""] = /^petstore: The file changed .* --from-line (\d+)\.$/m.exec(first.stderr()) ?? []
        appendFileSync(place.file, "Last,Cat,\n")
        const second = yield* place.start("--from-line", line)
        assert.strictEqual(yield* second.ended, 0, first.stderr() + second.stderr())
        assert.deepStrictEqual(names(place), [...expected, "Late", "Last"])
      })
  )
})

describe("an import without room for more", () => {
  live(
    "given a limit of the file size, then the log is on standard error, and the import resumes once there is room",
    (place) =>
      Effect.gen(function* () {
        const first = yield* place.start()
        execFileSync("prlimit", ["--pid", String(first.child.pid), "--fsize=1500000:unlimited"])
        assert.strictEqual(yield* first.ended, 1)
        assert.match(
          first.stderr(),
          /^petstore: The store has no room left\..* run the same command again to resume\.$/m
        )
        assert.strictEqual(first.stdout(), "")
        const second = yield* place.start()
        assert.strictEqual(yield* second.ended, 0, second.stderr())
        yield* holdsEachRowOnce(place)
      })
  )
})
