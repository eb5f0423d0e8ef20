import fs, {
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { temporaryFile, temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { Connection } from "./Connection.ts"
import { DatabaseFiles, FolderTime } from "./DatabaseFiles.ts"

/** A time at which the folder has not changed for long. */
const later = (): number => Date.now() + 60_000

/** Lets the folder have another time after its next change: older versions of Linux count them in ticks of up to 10 ms. */
const tick = Effect.promise(() => setTimeout(25))

/** The files of a database that is open. `through`: returns the path by which they are known. `settings`: of a new database. */
const opened = (now: () => number, through = (file: string): string => file, settings = "") =>
  Effect.gen(function* () {
    const path = yield* temporaryFile
    const folder = join(dirname(path), "data")
    const file = join(folder, "petstore.db")
    mkdirSync(folder)
    const connect = (options = {}) =>
      Effect.acquireRelease(
        Effect.sync(() => new Connection(new DatabaseSync(file, options))),
        ({ database }) => Effect.sync(() => database.isOpen && database.close())
      )
    const writer = yield* connect()
    writer.database.exec(
      `${settings}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE pets (id INTEGER)`
    )
    const reader = yield* connect({ readOnly: true })
    reader.run("PRAGMA data_version")
    const files = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseFiles(through(file), writer, reader, now)),
      (open) => Effect.sync(() => open.close())
    )
    yield* tick
    return { connect, file, files, folder, path, reader, writer }
  })

const replace = (path: string): void => {
  copyFileSync(path, `${path}.copy`)
  renameSync(`${path}.copy`, path)
}

const moveBehindLink = (path: string): void => {
  const moved = join(dirname(dirname(path)), "moved")
  renameSync(path, moved)
  symlinkSync(moved, path)
}

/** Runs a function in which `statSync` finds no file. */
const whileMissing = (run: () => void) =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.spyOn(fs, "statSync").mockReturnValue(undefined)),
    () =>
      Effect.sync(() => {
        syncBuiltinESMExports()
        run()
      }),
    (spy) =>
      Effect.sync(() => {
        spy.mockRestore()
        syncBuiltinESMExports()
      })
  )

const shortened = (suffix: string): RegExp => new RegExp(`petstore\\.db${suffix} was emptied or shortened`)

const losses: ReadonlyArray<readonly [what: string, lose: (path: string) => void, reason: RegExp]> = [
  ["deleted", (path) => rmSync(path), /was deleted or moved away/],
  ["moved", (path) => renameSync(path, `${path}.moved`), /was deleted or moved away/],
  ["replaced", replace, /was replaced by another file/],
  ["moved to where a link in its place leads", moveBehindLink, /was replaced by another file/]
]

describe("the files of an open database", () => {
  for (const [name, now] of [
    ["have just changed", Date.now],
    ["have not changed for long", later]
  ] as const) {
    for (const suffix of ["", "-wal", "-shm"]) {
      for (const [what, lose, reason] of losses) {
        it.effect(
          `given entries of the folder that ${name}, when petstore.db${suffix} is ${what}, then the next look finds it`,
          () =>
            Effect.gen(function* () {
              const { file, files } = yield* opened(now)
              for (let n = 0; n < 3; n++) assert.isUndefined(files.problem())
              lose(file + suffix)
              for (let n = 0; n < 3; n++) assert.match(String(files.problem()), reason)
              assert.isTrue(files.areLost)
            })
        )
      }
    }
  }

  it.effect("when the folder is moved away, and another one put in its place, then the next look finds it", () =>
    Effect.gen(function* () {
      const { files, folder } = yield* opened(later)
      assert.deepStrictEqual([files.problem(), files.problem()], [undefined, undefined])
      renameSync(folder, `${folder}.moved`)
      assert.match(String(files.problem()), /was deleted or moved away/)
      renameSync(`${folder}.moved`, folder)
      assert.deepStrictEqual([files.problem(), files.problem()], [undefined, undefined])
    })
  )

  for (const [where, length] of [
    ["at its beginning", 0],
    ["behind its header", 32],
    ["in the middle", 4_000],
    ["before its last byte", -1]
  ] as const) {
    it.effect(`when the log is cut off ${where}, then the next look finds it`, () =>
      Effect.gen(function* () {
        const { file, files } = yield* opened(later)
        for (let n = 0; n < 3; n++) assert.isUndefined(files.problem())
        truncateSync(`${file}-wal`, length < 0 ? statSync(`${file}-wal`).size + length : length)
        for (let n = 0; n < 3; n++) assert.match(String(files.problemOfSizes()), shortened("-wal"))
        assert.isTrue(files.areLost)
      })
    )
  }

  it.effect("when the log is cut off between the looks of a commit, then the second one finds it, for good", () =>
    Effect.gen(function* () {
      const { file, files, writer } = yield* opened(later)
      writer.run("BEGIN IMMEDIATE")
      assert.isUndefined(files.problemOfSizes())
      truncateSync(`${file}-wal`, 32)
      writer.run("INSERT INTO pets VALUES (1)")
      writer.run("COMMIT")
      assert.match(String(files.problemAfterCommit()), shortened("-wal"))
      for (let n = 0; n < 3; n++) assert.match(String(files.problem()), shortened("-wal"))
    })
  )

  for (const length of [0, 32]) {
    it.effect(`when the log is cut to ${length} bytes while a commit syncs it, then the look after that finds it`, () =>
      Effect.gen(function* () {
        const { file, files, writer } = yield* opened(later)
        writer.run("BEGIN IMMEDIATE")
        assert.isUndefined(files.problemOfSizes())
        writer.run("INSERT INTO pets VALUES (1)")
        writer.run("COMMIT")
        truncateSync(`${file}-wal`, length)
        assert.match(String(files.problemAfterCommit()), shortened("-wal"))
      })
    )
  }

  it.effect("when connections empty, restart and shorten the log as SQLite does, then no look finds anything", () =>
    Effect.gen(function* () {
      const { connect, files, writer } = yield* opened(later)
      const other = yield* connect()
      other.run("PRAGMA journal_size_limit = 0")
      for (let n = 0; n < 200; n++) {
        const one = n % 3 === 0 ? writer : other
        one.run("BEGIN IMMEDIATE")
        if (one === writer) assert.isUndefined(files.problemOfSizes())
        for (let row = 0; row < 1 + (n % 7) * 40; row++) one.run("INSERT INTO pets VALUES (zeroblob(500))")
        one.run("COMMIT")
        if (one === writer) assert.isUndefined(files.problemAfterCommit())
        if (n % 5 === 0) other.run(`PRAGMA wal_checkpoint(${["PASSIVE", "RESTART", "TRUNCATE"][n % 3]})`)
        if (n % 4 === 0) assert.isUndefined(files.problem())
      }
    })
  )

  describe("given a log that is written over, by one connection alone", () => {
    const pageInLog = 24 + 4_096

    /** A log of 100 pages that has begun anew with those of `commits`. */
    const writtenOver = (commits: number) =>
      Effect.gen(function* () {
        const all = yield* opened(later, undefined, "PRAGMA synchronous = OFF")
        const { files, reader, writer } = all
        writer.run("INSERT INTO pets VALUES (zeroblob(400000))")
        writer.run("PRAGMA wal_checkpoint(PASSIVE)")
        assert.isUndefined(files.problemOfSizes())
        const counts = vi.spyOn(reader, "perform")
        const begin = () => {
          writer.run("BEGIN IMMEDIATE")
          return files.problemOfSizes(true)
        }
        const commit = (pages: number) => {
          writer.run(`INSERT INTO pets VALUES (zeroblob(${pages * 3_900}))`)
          writer.run("COMMIT")
          return files.problemAfterCommit()
        }
        for (let n = 0; n < commits; n++) assert.deepStrictEqual([begin(), commit(1)], [undefined, undefined])
        return { ...all, begin, commit, counts: () => counts.mock.calls.length }
      })

    it.effect("when it commits, then eight looks share a count of pages", () =>
      Effect.gen(function* () {
        const counted: Array<number> = []
        for (const commits of [7, 8, 9, 24]) counted.push((yield* writtenOver(commits)).counts())
        assert.deepStrictEqual(counted, [0, 0, 1, 2])
      })
    )

    for (const commits of [1, 8, 12]) {
      const places = [0, 32, 32 + commits * pageInLog, 32 + (2 * commits - 1) * pageInLog]

      it.effect(`when the log is cut off anywhere in ${commits} commits, then the next look finds it`, () =>
        Effect.gen(function* () {
          for (const place of places) {
            const { begin, file } = yield* writtenOver(commits)
            truncateSync(`${file}-wal`, place)
            assert.match(String(begin()), shortened("-wal"), String(place))
          }
        })
      )

      for (const pages of [1, 120]) {
        it.effect(
          `when it is cut off there while a commit adds ${pages} pages, then the look after that finds it`,
          () =>
            Effect.gen(function* () {
              for (const place of places) {
                const { begin, commit, file } = yield* writtenOver(commits)
                assert.isUndefined(begin())
                truncateSync(`${file}-wal`, place)
                assert.match(String(commit(pages)), shortened("-wal"), String(place))
              }
            })
        )
      }
    }

    it.effect("when it is cut off behind its end, as SQLite does, or grows, then no look finds anything", () =>
      Effect.gen(function* () {
        const { begin, commit, file } = yield* writtenOver(5)
        truncateSync(`${file}-wal`, 32 + 40 * pageInLog)
        for (const pages of [1, 1, 20, 50, 1, 1])
          assert.deepStrictEqual([begin(), commit(pages)], [undefined, undefined])
      })
    )

    it.effect("when it grows with each commit, then each looks at its own pages alone", () =>
      Effect.gen(function* () {
        const { begin, commit, files } = yield* writtenOver(5)
        const looks = vi.spyOn(files as unknown as { readonly hasPage: (page: number) => boolean }, "hasPage")
        assert.deepStrictEqual([begin(), commit(120)], [undefined, undefined])
        looks.mockClear()
        for (let n = 0; n < 20; n++) assert.deepStrictEqual([begin(), commit(1)], [undefined, undefined])
        assert.isAtMost(looks.mock.calls.length, 20 * 6)
      })
    )
  })

  for (const [what, length] of [
    ["emptied", 0],
    ["cut off in the middle", 8_192]
  ] as const) {
    it.effect(`when the database is ${what}, then the next look finds it`, () =>
      Effect.gen(function* () {
        const { file, files, writer } = yield* opened(later)
        for (let n = 0; n < 20; n++) writer.run("INSERT INTO pets VALUES (zeroblob(1000))")
        writer.run("PRAGMA wal_checkpoint(PASSIVE)")
        for (let n = 0; n < 3; n++) assert.isUndefined(files.problem())
        truncateSync(file, length)
        for (let n = 0; n < 3; n++) assert.match(String(files.problemOfSizes()), shortened(""))
      })
    )
  }

  for (const shrink of ["VACUUM", "PRAGMA auto_vacuum = FULL; VACUUM"]) {
    it.effect(`when another connection makes the database smaller by ${shrink}, then no look finds anything`, () =>
      Effect.gen(function* () {
        const { connect, files, writer } = yield* opened(later)
        const other = yield* connect()
        for (let n = 0; n < 100; n++) writer.run("INSERT INTO pets VALUES (zeroblob(1000))")
        writer.run("PRAGMA wal_checkpoint(PASSIVE)")
        assert.isUndefined(files.problem())
        other.database.exec(`DELETE FROM pets; ${shrink}; PRAGMA wal_checkpoint(TRUNCATE)`)
        assert.isUndefined(files.problem())
        writer.run("INSERT INTO pets VALUES (zeroblob(100000))")
        assert.isUndefined(files.problem())
      })
    )
  }

  it.effect("when a database that SQLite shortens has grown again in the log, then no look finds anything", () =>
    Effect.gen(function* () {
      const { connect, files, writer } = yield* opened(later, undefined, "PRAGMA auto_vacuum = FULL")
      const other = yield* connect()
      for (let n = 0; n < 100; n++) writer.run("INSERT INTO pets VALUES (zeroblob(1000))")
      writer.run("PRAGMA wal_checkpoint(PASSIVE)")
      assert.isUndefined(files.problem())
      other.database.exec("DELETE FROM pets; PRAGMA wal_checkpoint(PASSIVE)")
      writer.run("INSERT INTO pets VALUES (zeroblob(50000))")
      assert.isUndefined(files.problem())
    })
  )

  it.effect("when the looks end, then the writer stays open, unless the log has been cut off since the last one", () =>
    Effect.gen(function* () {
      const whole = yield* opened(later)
      whole.files.close()
      const cut = yield* opened(later)
      assert.isUndefined(cut.files.problem())
      truncateSync(`${cut.file}-wal`, 32)
      cut.files.close()
      assert.deepStrictEqual([whole.writer.database.isOpen, cut.writer.database.isOpen], [true, false])
    })
  )

  it.effect.runIf(process.platform === "linux")(
    "when the files cannot be looked at, then that is a problem until they can be",
    () =>
      Effect.gen(function* () {
        const { files, folder } = yield* opened(later)
        renameSync(folder, `${folder}.moved`)
        writeFileSync(folder, "")
        for (let n = 0; n < 3; n++) assert.match(String(files.problem()), /cannot be checked: ENOTDIR/)
        rmSync(folder)
        renameSync(`${folder}.moved`, folder)
        assert.deepStrictEqual([files.problem(), files.problem()], [undefined, undefined])
      })
  )

  it.effect("when the database is not found for a moment, then no look finds anything from then on", () =>
    Effect.gen(function* () {
      const { files } = yield* opened(later)
      yield* whileMissing(() => assert.isUndefined(files.problemOfSizes()))
      assert.deepStrictEqual([files.problem(), files.problem()], [undefined, undefined])
    })
  )

  it.effect("when one of the files is not there, then they cannot be opened", () =>
    Effect.gen(function* () {
      const { file, reader, writer } = yield* opened(later)
      for (const path of [file, `${file}-wal`, `${file}-shm`]) {
        renameSync(path, `${path}.moved`)
        assert.throws(() => new DatabaseFiles(file, writer, reader), /ENOENT/)
        renameSync(`${path}.moved`, path)
      }
    })
  )

  it.effect("given a link to the file, then the next look finds when it leads to another file, or the file moved", () =>
    Effect.gen(function* () {
      let link = ""
      const through = (file: string): string => {
        link = join(dirname(dirname(file)), "link.db")
        symlinkSync(file, link)
        return link
      }
      const { file, files } = yield* opened(later, through)
      const linkTo = (path: string) => {
        rmSync(link)
        symlinkSync(path, link)
      }
      assert.deepStrictEqual([files.problem(), files.problem()], [undefined, undefined])
      linkTo(file)
      assert.isUndefined(files.problem())
      copyFileSync(file, `${link}.other`)
      linkTo(`${link}.other`)
      assert.match(String(files.problem()), /was replaced by another file/)
      linkTo(file)
      assert.isUndefined(files.problem())
      moveBehindLink(file)
      assert.match(String(files.problem()), /was replaced by another file/)
    })
  )
})

describe("the time of a folder", () => {
  it.effect.runIf(process.platform === "linux")(
    "given entries that have not changed for long, then it saves the looks at them until one changes",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFileInMemory
        writeFileSync(file, "")
        const of = (now: () => number) =>
          Effect.gen(function* () {
            yield* tick
            const folder = FolderTime.of(file, now)
            assert.isDefined(folder)
            const look = () => folder?.isUnchanged() === true
            const before = [look(), look(), look()]
            yield* tick
            replace(file)
            const after = [look(), look()]
            folder?.forget()
            return [...before, ...after, look()]
          })
        assert.deepStrictEqual(yield* of(later), [false, true, true, false, true, false])
        assert.deepStrictEqual(yield* of(Date.now), [false, false, false, false, false, false])
      })
  )

  it.effect.runIf(process.platform === "linux")(
    "then the entries are looked at once a second, and after the clock was set back",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFileInMemory
        const start = later()
        let passed = 0
        const folder = FolderTime.of(file, () => start + passed)
        const found: Array<boolean | undefined> = []
        for (passed of [0, 999, 1_000, 1_999, 2_000, 1_990, 1_991]) found.push(folder?.isUnchanged())
        assert.deepStrictEqual(found, [false, true, false, true, false, false, true])
      })
  )

  it.effect("given a folder that does not exist, then nothing is known of it", () =>
    Effect.sync(() => assert.isUndefined(FolderTime.of("/no/such/folder/petstore.db", later)))
  )
})
