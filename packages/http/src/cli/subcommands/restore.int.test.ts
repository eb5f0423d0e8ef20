import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { type Place, printed, test } from "../../../test/support/cliTest.ts"

const names = (file: string) =>
  Effect.promise(async () => {
    await using petstore = await createPetstore({ storage: sqlite(file) })
    return (await petstore.categories.list()).items.map(({ name }) => name)
  })

const add = (file: string, name: string) =>
  Effect.promise(async () => {
    await using petstore = await createPetstore({ storage: sqlite(file) })
    await petstore.categories.create({ name })
  })

/** A database that has changed since its backup. */
const given = ({ file, folder, output }: Place) =>
  Effect.gen(function* () {
    yield* add(file, "Cats")
    const backup = join(folder, "backup.db")
    yield* output("backup", backup)
    yield* add(file, "Dogs")
    return backup
  })

describe("petstore restore", () => {
  test("given a backup, then it takes the place of the database, which stays under another name", (place) =>
    Effect.gen(function* () {
      const { file, folder, output } = place
      const backup = yield* given(place)
      const { mode } = statSync(file)
      const shown = yield* output("restore", backup)
      const former = /The former database is (.*)$/.exec(shown)?.[1] ?? assert.fail(shown)
      assert.match(shown, /restored from .*backup\.db, 0 violations of \d+ invariants\n/)
      assert.strictEqual(statSync(file).mode, mode)
      assert.deepStrictEqual(yield* names(file), ["Cats"])
      yield* add(file, "Birds")
      assert.deepStrictEqual(yield* names(former), ["Cats", "Dogs"])
      assert.deepStrictEqual(yield* names(backup), ["Cats"])
      assert.notInclude(readdirSync(folder).join(), ".restored")
    }))

  test("given a database that is gone or damaged, then the backup takes its place", (place) =>
    Effect.gen(function* () {
      const { file, folder, output } = place
      const backup = yield* given(place)
      writeFileSync(file, "no database at all")
      yield* output("restore", backup)
      assert.deepStrictEqual(yield* names(file), ["Cats"])
      yield* output("restore", backup, "--storage", `sqlite:${join(folder, "new.db")}`)
      assert.deepStrictEqual(yield* names(join(folder, "new.db")), ["Cats"])
    }))

  test("given a process that has the database open, then nothing changes", (place) =>
    Effect.gen(function* () {
      const backup = yield* given(place)
      const before = readdirSync(place.folder).filter((name) => !/-(wal|shm)$/.test(name))
      yield* Effect.promise(async () => {
        await using petstore = await createPetstore({ storage: sqlite(place.file) })
        const refused = printed(await Effect.runPromise(place.run("restore", backup)))
        assert.deepStrictEqual([refused.code, /A process uses .*nothing was changed/.test(refused.stderr)], [2, true])
        await petstore.categories.create({ name: "Birds" })
      })
      assert.deepStrictEqual(yield* names(place.file), ["Cats", "Dogs", "Birds"])
      assert.deepStrictEqual(
        readdirSync(place.folder).filter((name) => !/-(wal|shm)$/.test(name)),
        before
      )
    }))

  test("given a backup that is damaged, breaks an invariant or is no database, then nothing changes", (place) =>
    Effect.gen(function* () {
      const backup = yield* given(place)
      const broken = new DatabaseSync(backup)
      broken.exec("UPDATE petstore_categories SET name = 'Mice'; PRAGMA journal_mode = DELETE")
      broken.close()
      const before = readFileSync(place.file)
      const refused = printed(yield* place.run("restore", backup))
      assert.deepStrictEqual([refused.code, /breaks invariants.*nothing was changed/.test(refused.stderr)], [1, true])
      for (const content of ["text", ""]) {
        const other = printed(yield* place.run("restore", place.write("other.db", content)))
        assert.deepStrictEqual([other.code, other.stderr.includes("other.db")], [1, true], other.stderr)
        assert.notInclude(other.stderr, ".restored")
      }
      assert.strictEqual((yield* place.run("restore", join(place.folder, "none.db"))).code, 2)
      assert.strictEqual((yield* place.run("restore", place.file)).code, 2)
      assert.isTrue(before.equals(readFileSync(place.file)))
      assert.notInclude(readdirSync(place.folder).join(), ".restored")
    }))
})
