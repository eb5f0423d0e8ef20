import { execFileSync } from "node:child_process"
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it, vi } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { MessageRules } from "@petstore/core/domain"
import { messages } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { openSqlite } from "../../../test/support/openSqlite.ts"
import { addCategory, addPet, addRow, petNames } from "../../../test/support/rows.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

const opened = Effect.gen(function* () {
  const file = yield* temporaryFile
  const store = yield* openSqlite(file)
  const categoryId = yield* store.run((tx) => addCategory(tx))
  const directory = dirname(file)
  return { store, categoryId, directory, backup: store.backup ?? assert.fail("it has files") }
})

describe("a backup", () => {
  it.effect("contains everything that was committed before", () =>
    Effect.gen(function* () {
      const { store, categoryId, directory, backup } = yield* opened
      yield* store.run((tx) => addPet(tx, categoryId, "Rex"))
      const target = join(directory, "copy.db")
      yield* backup(target)
      const copy = yield* openSqlite({ file: target, migrate: false })
      assert.deepStrictEqual(yield* petNames(copy), ["Rex"])
      assert.deepStrictEqual(yield* copy.inspect, [])
      yield* copy.run((tx) => addPet(tx, categoryId, "Max"))
      assert.deepStrictEqual(yield* petNames(store), ["Rex"])
    })
  )

  it.effect("is refused where a log or a journal of an earlier file is left, which SQLite would take for its own", () =>
    Effect.gen(function* () {
      const { directory, backup } = yield* opened
      const target = join(directory, "copy.db")
      for (const suffix of ["-wal", "-shm", "-journal"]) {
        writeFileSync(target + suffix, "")
        const { message } = yield* Effect.flip(backup(target))
        assert.include(
          message,
          `Cannot write ${target}: ${target}${suffix} is left of an earlier file of this name. Delete it`
        )
        rmSync(target + suffix)
      }
      yield* backup(target)
    })
  )

  it.effect("is refused where a link leads nowhere", () =>
    Effect.gen(function* () {
      const { directory, backup } = yield* opened
      const target = join(directory, "copy.db")
      symlinkSync(`${target}.none`, target)
      assert.include((yield* Effect.flip(backup(target))).message, "the file exists. Name one that does not exist.")
      assert.isTrue(lstatSync(target).isSymbolicLink())
    })
  )

  it.effect("is synced before it gets its name, and its folder after", () =>
    Effect.gen(function* () {
      const { directory, backup } = yield* opened
      const target = join(directory, "copy.db")
      const handle = yield* Effect.promise(() => open(directory, "r"))
      const sync = vi.spyOn(Object.getPrototypeOf(handle), "sync")
      yield* Effect.addFinalizer(() => Effect.promise(() => handle.close().finally(() => sync.mockRestore())))
      const named: Array<boolean> = []
      sync.mockImplementation(async () => void named.push(existsSync(target)))
      yield* backup(target)
      assert.deepStrictEqual(named, process.platform === "win32" ? [false] : [false, true])
    })
  )

  it.effect("that is made while others write contains a prefix of their commits", () =>
    Effect.gen(function* () {
      const { store, categoryId, directory, backup } = yield* opened
      let written = 0
      const writer = yield* Effect.forkChild(
        Effect.forever(Effect.suspend(() => store.run((tx) => addPet(tx, categoryId, `Rex ${written++}`))))
      )
      const targets = [1, 2, 3].map((n) => join(directory, `copy-${n}.db`))
      for (const target of targets) {
        const before = written
        yield* backup(target)
        const names = yield* Effect.scoped(Effect.flatMap(openSqlite(target), petNames))
        assert.deepStrictEqual(
          names,
          names.map((_, n) => `Rex ${n}`)
        )
        assert.isAtLeast(names.length, before - 1)
        assert.isAtMost(names.length, written)
      }
      yield* Fiber.interrupt(writer)
      assert.isAbove(written, 3)
    })
  )

  it.effect("rejects the name of an existing file, and does not change it", () =>
    Effect.gen(function* () {
      const { directory, backup } = yield* opened
      const target = join(directory, "copy.db")
      writeFileSync(target, "")
      assert.match((yield* Effect.flip(backup(target))).message, /Cannot write .*copy\.db: the file exists/)
      assert.deepStrictEqual(
        readdirSync(directory).filter((name) => name.startsWith("copy")),
        [basename(target)]
      )
    })
  )

  it.effect("to a read-only place fails, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const { store, categoryId, directory, backup } = yield* opened
      const error = yield* Effect.flip(backup(join(directory, "nowhere", "copy.db")))
      assert.strictEqual(error._tag, "InternalError")
      yield* store.run((tx) => addPet(tx, categoryId))
      assert.isTrue(readdirSync(directory).every((name) => name.startsWith("petstore.db")))
    })
  )

  it.effect("that is cancelled ends soon and leaves nothing, and the next one works", () =>
    Effect.gen(function* () {
      const { store, directory, backup } = yield* opened
      const text = "x".repeat(16_000)
      yield* store.run(function* (tx) {
        for (let n = 0; n < 2_000; n++) {
          yield* addRow(tx, messages, MessageRules.queued(`msg_${n}`, text, "2026-01-01T00:00:00.000Z"))
        }
      })
      const copying = yield* Effect.forkChild(backup(join(directory, "copy.db")), { startImmediately: true })
      yield* Effect.promise(async () => {
        while (!readdirSync(directory).some((name) => name.endsWith(".partial"))) {
          await new Promise((resolve) => setImmediate(resolve))
        }
      })
      yield* Fiber.interrupt(copying)
      assert.isTrue(readdirSync(directory).every((name) => !name.startsWith("copy")))
      yield* backup(join(directory, "copy.db"))
      assert.deepStrictEqual(yield* (yield* openSqlite(join(directory, "copy.db"))).inspect, [])
    })
  )

  it.effect("removes what a killed process left, but nothing that is in use or belongs to another store", () =>
    Effect.gen(function* () {
      const { directory, backup } = yield* opened
      const id = "00000000-0000-4000-8000-00000000000"
      const left = [`old.db.${id}1.partial`, `old.db.${id}1.partial-journal`]
      const kept = [`old.db.${id}2.partial`, `mine.partial`, `other.db.${id}3.partial`]
      for (const name of [...left, ...kept]) writeFileSync(join(directory, name), "")
      const longAgo = new Date(Date.now() - 3_600_000)
      for (const name of [...left, "mine.partial", `other.db.${id}3.partial`]) {
        utimesSync(join(directory, name), longAgo, longAgo)
      }
      // Another process makes this one, slowly.
      const maker = new DatabaseSync(join(directory, `other.db.${id}3.partial`))
      maker.exec("BEGIN EXCLUSIVE")
      yield* backup(join(directory, "copy.db"))
      maker.close()
      const names = readdirSync(directory).filter((name) => name.includes("partial"))
      assert.sameMembers(names, kept)
    })
  )

  it.effect("to a disk that is full fails, and leaves nothing behind", (test) =>
    Effect.gen(function* () {
      const { directory, backup } = yield* opened
      const disk = join(directory, "disk")
      mkdirSync(disk)
      try {
        execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], { stdio: "ignore" })
      } catch {
        return test.skip("this process may not mount a small disk: run the tests as root")
      }
      yield* Effect.addFinalizer(() => Effect.sync(() => execFileSync("umount", ["--lazy", disk])))
      const error = yield* Effect.flip(backup(join(disk, "copy.db")))
      assert.match(error.message, /Cannot write .*copy\.db: database or disk is full/)
      assert.deepStrictEqual(readdirSync(disk), [])
    })
  )
})

describe("a backup to something else than a path", () => {
  it.effect("is refused, and the error says what it takes", () =>
    Effect.gen(function* () {
      const storage = sqlite(yield* temporaryFile)
      yield* Effect.promise(async () => {
        await using petstore = await createPetstore({ storage })
        const urls = ["sqlite:backup.db", "file:///backup.db", "sqlite://backup.db", ":memory:", "s3://shop/backup.db"]
        for (const file of [undefined, null, 5, "", new URL("file:///backup.db"), Promise.resolve("b.db"), ...urls]) {
          const failure = await petstore.backup(file as never).then(String, String)
          assert.match(failure, /^TypeError: backup takes the path of a new file with nothing before it, such as "b/)
        }
      })
    })
  )
})
