import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { startProgram } from "../../../test/support/program.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

const opened = (file: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => createPetstore({ storage: sqlite(file) }), catch: (error) => error as Error }),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** Why a file is not opened; undefined if it is. */
const refusal = (file: string) =>
  Effect.scoped(Effect.match(opened(file), { onFailure: ({ message }) => message, onSuccess: () => undefined }))

const addCategories = (file: string, count: number) =>
  Effect.flatMap(opened(file), (petstore) =>
    Effect.promise(async () => {
      for (let n = 0; n < count; n++)
        await petstore.categories.create({ name: `Dogs ${n}`, description: "x".repeat(900) })
    })
  )

/** Copies a store that is open, so that its log is not moved into the file, to another path. */
const copyWithLog = (file: string, to: string): void => {
  for (const suffix of ["", "-wal", "-head"]) copyFileSync(file + suffix, to + suffix)
}

const pageSize = 4096
const pagesOf = (file: string) => statSync(file).size / pageSize

describe("given a database that another program has shortened while no process used it", () => {
  it.effect("when a log is beside it, then opening it says how many pages are gone, and changes nothing", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const copy = `${file}.copy`
      yield* Effect.scoped(addCategories(file, 40))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const petstore = yield* opened(file)
          yield* Effect.promise(() => petstore.categories.create({ name: "Cats" }))
          copyWithLog(file, copy)
        })
      )
      assert.isUndefined(yield* refusal(copy))
      const whole = pagesOf(copy)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const petstore = yield* opened(file)
          yield* Effect.promise(() => petstore.categories.create({ name: "Birds" }))
          copyWithLog(file, copy)
        })
      )
      truncateSync(copy, (whole - 3) * pageSize)
      rmSync(`${copy}-shm`, { force: true })
      const message = (yield* refusal(copy)) ?? assert.fail("it was opened")
      assert.match(message, /Cannot use \S+petstore\.db\.copy: (1 page|[23] pages) of the database .* shortened it/)
      assert.strictEqual(pagesOf(copy), whole - 3)
    })
  )

  it.effect("when there is no log, then opening it says so, too", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.scoped(addCategories(file, 40))
      truncateSync(file, (pagesOf(file) - 2) * pageSize)
      assert.match(String(yield* refusal(file)), /2 pages of the database are neither in the file nor in its log/)
    })
  )

  it.effect("when the missing pages are still in the log of a killed process, then it is opened", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const copy = `${file}.copy`
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* addCategories(file, 40)
          copyWithLog(file, copy)
        })
      )
      assert.isBelow(pagesOf(copy), 10)
      assert.isUndefined(yield* refusal(copy))
      const names = yield* Effect.scoped(
        Effect.flatMap(opened(copy), (petstore) => Effect.promise(() => petstore.categories.list({ limit: 100 })))
      )
      assert.lengthOf(names.items, 40)
    })
  )

  for (const [what, lose] of [
    ["emptied", (file: string) => truncateSync(file)],
    ["cut to a byte", (file: string) => truncateSync(file, 1)],
    ["deleted", (file: string) => rmSync(file)]
  ] as const) {
    it.effect(
      `when it was ${what} beside its log, then opening it leaves the log for the database to be put back`,
      () =>
        Effect.gen(function* () {
          const file = yield* temporaryFile
          const copy = `${file}.copy`
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* addCategories(file, 2)
              copyWithLog(file, copy)
            })
          )
          rmSync(`${copy}-head`)
          const [database, log] = [readFileSync(copy), readFileSync(`${copy}-wal`)]
          lose(copy)
          assert.match(String(yield* refusal(copy)), /it is (empty|gone), and \S+\.copy-wal has changes/)
          assert.isTrue(readFileSync(`${copy}-wal`).equals(log))
          writeFileSync(copy, database)
          assert.isUndefined(yield* refusal(copy))
        })
    )
  }

  it.effect("when a page was overwritten, then opening it says to restore a backup", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.scoped(addCategories(file, 2))
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(255, 100, pageSize))
      assert.match(String(yield* refusal(file)), /malformed\. Restore the latest backup in which `petstore verify`/)
    })
  )

  it.effect("when it has become longer instead, then it is opened", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.scoped(addCategories(file, 2))
      appendFileSync(file, Buffer.alloc(pageSize))
      assert.isUndefined(yield* refusal(file))
    })
  )
})

const mkfifo = (path: string): void => void execFileSync("mkfifo", [path])

/** Makes the path a link to something else. */
const linkTo = (path: string, make: (target: string) => void): void => {
  const target = `${path}.real`
  make(target)
  if (!existsSync(target)) writeFileSync(target, "")
  symlinkSync(target, path)
}

describe("given a path that cannot be used", () => {
  for (const [what, make, expected] of [
    ["a folder", (file: string) => mkdirSync(file), /petstore\.db: it is a folder\. Name a file in it/],
    [
      "a file with two names",
      (file: string) => {
        writeFileSync(file, "")
        linkSync(file, `${file}.other`)
      },
      /petstore\.db: it is one file with 2 names \(hard links\)/
    ],
    ["a pipe", mkfifo, /petstore\.db: it is a pipe, not a file\. Correct the path/],
    ["a link to a pipe", (file: string) => linkTo(file, mkfifo), /petstore\.db: it is a pipe, not a file/],
    ["a device", (file: string) => symlinkSync("/dev/zero", file), /petstore\.db: it is a device, not a file/],
    [
      "a link that leads to itself",
      (file: string) => symlinkSync(file, file),
      /petstore\.db: it is a link that leads to itself/
    ],
    [
      "a link into a folder that does not exist",
      (file: string) => symlinkSync(`${file}.none/petstore.db`, file),
      /petstore\.db: the folder \S+petstore\.db\.none, into which it is a link, does not exist\. Create it, or correct the link/
    ],
    ["a folder in place of its log", (file: string) => mkdirSync(`${file}-wal`), /petstore\.db-wal, .* is a folder/],
    ["a folder in place of the index", (file: string) => mkdirSync(`${file}-shm`), /petstore\.db-shm, .* is a folder/],
    ["a pipe in place of its log", (file: string) => mkfifo(`${file}-wal`), /petstore\.db-wal, .* is a pipe/],
    ["a pipe in place of the index", (file: string) => mkfifo(`${file}-shm`), /petstore\.db-shm, .* is a pipe/],
    ["a pipe in place of its journal", (file: string) => mkfifo(`${file}-journal`), /-journal, .* is a pipe/],
    [
      "a link in place of its log",
      (file: string) => symlinkSync(`${file}.none`, `${file}-wal`),
      /petstore\.db-wal, which SQLite needs, is a link, not a file\. Move it away/
    ],
    [
      "a link to a file whose log is a folder",
      (file: string) => linkTo(file, (target) => mkdirSync(`${target}-wal`)),
      /petstore\.db\.real-wal, .* is a folder/
    ]
  ] as const) {
    it.effect.skipIf(process.platform === "win32")(`when it is ${what}, then the message names it`, () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        make(file)
        assert.match(String(yield* refusal(file)), expected)
      })
    )
  }
})

describe("given a log that has grown", () => {
  it.effect("when it begins anew, then it is cut to 32 MiB", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const petstore = yield* opened(file)
      yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
      const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
      const other = new DatabaseSync(file)
      // A reader keeps the log from beginning anew.
      other.exec("CREATE TABLE large (x); BEGIN; SELECT count(*) FROM large")
      const writer = new DatabaseSync(file)
      writer.exec("PRAGMA wal_autocheckpoint = 0")
      for (let n = 0; n < 12; n++) writer.exec("INSERT INTO large VALUES (zeroblob(4000000)); DELETE FROM large")
      assert.isAbove(statSync(`${file}-wal`).size, 40_000_000)
      other.close()
      writer.close()
      for (let n = 0; n < 3; n++) yield* Effect.promise(() => petstore.categories.create({ name: `Cats ${n}` }))
      assert.isAtMost(statSync(`${file}-wal`).size, 33_554_432)
    })
  )
})

const isRoot = process.getuid?.() === 0

describe.runIf(isRoot)(
  `given a store of another user${isRoot ? "" : " (skipped: only root can become another user)"}`,
  () => {
    const nobody = 65_534

    it.effect("when root uses it, then every file beside it belongs to that user, who can go on", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        chmodSync(dirname(file), 0o777)
        yield* Effect.scoped(addCategories(file, 1))
        rmSync(`${file}-head`)
        chownSync(file, nobody, nobody)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const petstore = yield* opened(file)
            yield* Effect.promise(() => petstore.categories.create({ name: "Cats" }))
            for (const suffix of ["", "-wal", "-shm", "-head"]) {
              const { gid, uid } = statSync(file + suffix)
              assert.deepStrictEqual({ uid, gid }, { uid: nobody, gid: nobody }, suffix)
            }
          })
        )
        assert.strictEqual(yield* (yield* startProgram("open-as-nobody", file)).line, "written")
      })
    )

    it.effect("when its head cannot be read, then it is opened with a warning", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        chmodSync(dirname(file), 0o777)
        yield* Effect.scoped(addCategories(file, 1))
        chownSync(file, nobody, nobody)
        assert.isTrue(existsSync(`${file}-head`))
        chmodSync(`${file}-head`, 0o600)
        const before = readFileSync(`${file}-head`, "utf8")
        const program = yield* startProgram("open-as-nobody", file)
        const lines = [yield* program.line, yield* program.line]
        assert.match(lines[0] ?? "", /WARN .*events of \S+petstore\.db are missing was not checked: EACCES/)
        assert.strictEqual(lines[1], "written")
        assert.strictEqual(readFileSync(`${file}-head`, "utf8"), before)
      })
    )
  }
)
