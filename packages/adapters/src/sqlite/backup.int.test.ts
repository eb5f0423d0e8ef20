import { readdirSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { openSqlite } from "../../test/support/opened.ts"
import { addCategory, addPet, petNames } from "../../test/support/rows.ts"
import { temporaryFile } from "../../test/support/temporary.ts"

const opened = Effect.gen(function* () {
  const file = yield* temporaryFile
  const store = yield* openSqlite(file)
  const categoryId = yield* store.transact(addCategory(store))
  const directory = dirname(file)
  return { store, categoryId, directory, backup: store.backup ?? assert.fail("it has files") }
})

describe("a backup", () => {
  it.effect("is a store with everything that was committed before", () =>
    Effect.gen(function* () {
      const { store, categoryId, directory, backup } = yield* opened
      yield* store.transact(addPet(store, categoryId, "Rex"))
      const target = join(directory, "copy.db")
      yield* backup(target)
      const copy = yield* openSqlite({ file: target, migrate: false })
      assert.deepStrictEqual(yield* petNames(copy), ["Rex"])
      assert.deepStrictEqual(yield* copy.inspect, [])
      yield* copy.transact(addPet(copy, categoryId, "Max"))
      assert.deepStrictEqual(yield* petNames(store), ["Rex"])
    })
  )

  it.effect("that is made while others write has a prefix of what they committed", () =>
    Effect.gen(function* () {
      const { store, categoryId, directory, backup } = yield* opened
      let written = 0
      const writer = yield* Effect.forkChild(
        Effect.forever(Effect.suspend(() => store.transact(addPet(store, categoryId, `Rex ${written++}`))))
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

  it.effect("refuses the name of a file that exists, and leaves that as it is", () =>
    Effect.gen(function* () {
      const { directory, backup } = yield* opened
      const target = join(directory, "copy.db")
      writeFileSync(target, "")
      assert.match((yield* Effect.flip(backup(target))).message, /Cannot write .*copy\.db: .* already/)
      assert.deepStrictEqual(
        readdirSync(directory).filter((name) => name.startsWith("copy")),
        [basename(target)]
      )
    })
  )

  it.effect("to where nothing can be written fails, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const { store, categoryId, directory, backup } = yield* opened
      const error = yield* Effect.flip(backup(join(directory, "nowhere", "copy.db")))
      assert.strictEqual(error._tag, "InternalError")
      yield* store.transact(addPet(store, categoryId))
      assert.isTrue(readdirSync(directory).every((name) => name.startsWith("petstore.db")))
    })
  )
})
