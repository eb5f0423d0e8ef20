import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { printed, liveTest as test } from "../../../test/support/cliTest.ts"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { startPetstore } from "../../../test/support/PetstoreProcess.ts"
import { dump, fillShop, inPetstore } from "../../../test/support/shop.ts"

const change = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

const noteIn = (file: string): string => {
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return String(database.prepare("SELECT note FROM petstore_restore").get()?.note ?? "")
    } finally {
      database.close()
    }
  } catch {
    return ""
  }
}

const copying = (from: string, to: string) => ["copy", "--from", `sqlite:${from}`, "--to", `sqlite:${to}`] as const

describe("petstore copy", () => {
  test("given a store with every kind of row, then the copy has the same rows, and goes on where it ended", ({
    file,
    folder,
    output
  }) =>
    Effect.gen(function* () {
      yield* fillShop(file, 30)
      const target = join(folder, "copy.db")
      const text = yield* output(...copying(file, target))
      assert.match(text, /^table +rows\naccess log +5\naccounts +1\nAPI keys +2\ncategories +2\npets +31\norders +31\n/)
      assert.match(text, /Every row was copied\. 0 violations of \d+ invariants/)
      const expected = dump(file)
      assert.deepStrictEqual(dump(target), expected)
      for (const [name, rows] of Object.entries(expected)) {
        if (!/restore|checkpoints|webhooks|deliveries/.test(name)) assert.isNotEmpty(rows, name)
      }
      const latest = expected.petstore_events?.length ?? 0
      yield* inPetstore(target, async (petstore) => {
        const pet = { name: "Next", categoryId: 1 }
        const again = await petstore.pets.create({ ...pet, name: "Pet 3 🐈" }, { idempotencyKey: "pet-3" })
        assert.strictEqual(again.id, 4)
        assert.strictEqual((await petstore.pets.create(pet)).id, 32)
        assert.strictEqual((await petstore.categories.create({ name: "Birds" })).id, 3)
        assert.strictEqual((await petstore.orders.place({})).id, 32)
        assert.strictEqual(await petstore.events.latest(), latest + 4)
      })
    }))

  test("given a database that is not new, the same one, or none, then the copy is refused and nothing changes", ({
    file,
    folder,
    run
  }) =>
    Effect.gen(function* () {
      yield* fillShop(file, 1)
      const other = join(folder, "other.db")
      yield* inPetstore(other, (petstore) => petstore.categories.create({ name: "Mine" }))
      const before = dump(other)
      const refused = (args: ReadonlyArray<string>, message: RegExp) =>
        Effect.gen(function* () {
          const { code, stderr } = printed(yield* run(...args))
          assert.strictEqual(code, 2)
          assert.match(stderr, message)
        })
      yield* refused(copying(file, other), /^petstore: The target is not empty: it has 2 rows\./)
      yield* refused(copying(file, file), /--from and --to name the same database/)
      yield* refused(
        copying(join(folder, "none.db"), other),
        /none\.db" does not exist; name an existing one with --from/
      )
      yield* refused(["copy", "--from", `sqlite:${file}`, "--to", "memory:"], /^petstore: --to takes sqlite:FILE/)
      yield* refused(["copy", "--from", "memory:", "--to", `sqlite:${file}`], /^petstore: --from takes sqlite:FILE/)
      assert.deepStrictEqual(dump(other), before)
      assert.isFalse(existsSync(join(folder, "none.db")))
    }))

  test("given an unfinished copy, then nothing opens it, and copies from it and into it are refused", ({
    file,
    folder,
    run
  }) =>
    Effect.gen(function* () {
      yield* fillShop(file, 5)
      const target = join(folder, "copy.db")
      yield* run(...copying(file, target))
      change(target, "INSERT INTO petstore_restore VALUES (1, 'killed 7')")
      const verified = printed(yield* run("verify", "--storage", `sqlite:${target}`))
      assert.deepStrictEqual([verified.code, verified.stdout], [1, ""])
      assert.include(verified.stderr, "unfinished copy of another one")
      const source = printed(yield* run(...copying(target, join(folder, "third.db"))))
      assert.strictEqual(source.code, 2)
      assert.include(source.stderr, "The source is an unfinished copy")
      const into = printed(yield* run(...copying(file, target)))
      assert.strictEqual(into.code, 2)
      assert.include(into.stderr, "The target is an unfinished copy. Delete it, or name a new database with --to")
    }))

  test("given a target whose rows something else changes, then the copy is not finished and names the table", ({
    file,
    folder,
    run
  }) =>
    Effect.gen(function* () {
      yield* fillShop(file, 5)
      const target = join(folder, "copy.db")
      yield* run("migrate", "--create", "--storage", `sqlite:${target}`)
      change(
        target,
        "CREATE TRIGGER other AFTER INSERT ON petstore_idempotency BEGIN DELETE FROM petstore_idempotency; END"
      )
      const { code, stderr } = printed(yield* run(...copying(file, target)))
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /The copy differs from the source, so it is not finished: idempotency: 0 rows instead of \d+\./
      )
      assert.notStrictEqual(noteIn(target), "")
    }))

  test("given a source that changes meanwhile, then the copy is not finished; with --snapshot it is one moment", ({
    file,
    folder,
    run
  }) =>
    Effect.gen(function* () {
      yield* fillShop(file, 1_500)
      const writing = (target: string, ...flags: ReadonlyArray<string>) =>
        Effect.scoped(
          Effect.gen(function* () {
            const petstore = yield* Effect.acquireRelease(
              Effect.promise(() => createPetstore({ storage: sqlite(file) })),
              (one) => Effect.promise(() => one.close())
            )
            let running = true
            const writer = (async () => {
              while (running) await petstore.messages.enqueue("Meanwhile")
            })()
            const copy = yield* startPetstore([...copying(file, target), ...flags])
            const code = yield* copy.ended
            running = false
            yield* Effect.promise(() => writer)
            return { code, stderr: copy.stderr() }
          })
        )
      const first = yield* writing(join(folder, "first.db"))
      assert.strictEqual(first.code, 1)
      assert.match(
        first.stderr,
        /^petstore: The source changed while it was copied: event \d+ is the last one in the copy/
      )
      const again = printed(yield* run(...copying(file, join(folder, "first.db"))))
      assert.strictEqual(again.code, 2)
      assert.include(again.stderr, "The target is an unfinished copy")
      const target = join(folder, "second.db")
      assert.deepStrictEqual(yield* writing(target, "--snapshot"), { code: 0, stderr: "" })
      assert.strictEqual(printed(yield* run("verify", "--storage", `sqlite:${target}`)).code, 0)
    }))
})

describe("a copy that is killed", () => {
  it.live("given kill -9 once it has begun, when its target is deleted, then the same command copies everything", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const [file, target] = [join(folder, "pets.db"), join(folder, "copy.db")]
        yield* fillShop(file, 2_000)
        const begun: Effect.Effect<void> = Effect.suspend(() =>
          noteIn(target) === "" ? Effect.delay(begun, "2 millis") : Effect.void
        )
        const killed = yield* startPetstore([...copying(file, target)])
        yield* begun
        killed.child.kill("SIGKILL")
        yield* killed.ended
        for (const suffix of ["", "-wal", "-shm", "-head"]) rmSync(target + suffix, { force: true })
        const last = yield* startPetstore([...copying(file, target)])
        assert.strictEqual(yield* last.ended, 0, last.stderr())
        assert.deepStrictEqual(dump(target), dump(file))
        yield* inPetstore(target, async (petstore) => assert.isTrue((await petstore.verify()).ok))
      })
    )
  )
})
