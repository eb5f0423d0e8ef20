import { existsSync, readdirSync, statSync, utimesSync, watch, writeFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Petstore } from "@petstore/core/effect"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import { pets } from "@petstore/core/tables"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { openStore } from "../store.ts"

/** A store whose file is copied whatever its size. */
const copying = (file: string): StorageAdapter => ({
  name: "sqlite",
  layer: Layer.effect(
    Storage,
    Effect.map(openStore({ file, copyThreshold: -1 }), ({ store }) => store)
  )
})

const opened = Effect.gen(function* () {
  const file = yield* temporaryFile
  const context = yield* Layer.build(Petstore.layer(copying(file)).pipe(Layer.provideMerge(copying(file).layer)))
  const petstore = Context.get(context, Petstore)
  yield* petstore.categories.create({ name: "Dogs" })
  yield* petstore.pets.create({ name: "Rex", categoryId: 1 })
  return { file, petstore, store: Context.get(context, Storage) }
})

const filesBeside = (file: string) => readdirSync(dirname(file)).filter((name) => name.includes(".verify"))

const detachedOf = ({ detachedSnapshot }: Storage["Service"]) =>
  detachedSnapshot ?? assert.fail("There is no detached snapshot")

describe("verify of a copy", () => {
  it.effect("finds the same as in place, and leaves no file behind", () =>
    Effect.gen(function* () {
      const { file, petstore } = yield* opened
      const { checks, ok } = yield* petstore.verify
      assert.isTrue(ok)
      assert.strictEqual(checks.find(({ name }) => name === "stock_in_bounds")?.checked, 1)
      assert.deepStrictEqual(filesBeside(file), [])
    })
  )

  it.effect("finds rows that break a constraint of the file", () =>
    Effect.gen(function* () {
      const { file, petstore } = yield* opened
      const database = new DatabaseSync(file)
      database.exec("PRAGMA ignore_check_constraints = ON; UPDATE petstore_pets SET status = 'sold'")
      database.close()
      assert.include(JSON.stringify(yield* petstore.verify), "CHECK constraint failed")
    })
  )

  it.effect("has no name while it is read, and does not keep the log from being emptied", () =>
    Effect.gen(function* () {
      const { file, petstore, store } = yield* opened
      yield* detachedOf(store)(
        Effect.gen(function* () {
          assert.strictEqual((yield* store.scan(pets, [], 10)).length, 1)
          assert.deepStrictEqual(filesBeside(file), [])
          yield* petstore.pets.create({ name: "Max", categoryId: 1 })
          const other = new DatabaseSync(file)
          const emptied = other.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()
          other.close()
          assert.deepStrictEqual({ ...emptied }, { busy: 0, log: 0, checkpointed: 0 })
          assert.strictEqual(statSync(`${file}-wal`).size, 0)
          assert.strictEqual((yield* store.scan(pets, [], 10)).length, 1)
        })
      )
      assert.strictEqual((yield* store.scan(pets, [], 10)).length, 2)
    })
  )

  it.effect("removes the copies that killed processes left, but none that is in use", () =>
    Effect.gen(function* () {
      const { file, petstore } = yield* opened
      const copy = (digit: number): string => `${file}.00000000-0000-4000-8000-00000000000${digit}.verify`
      const [left, leftJournal, young, locked] = [copy(1), `${copy(1)}-journal`, copy(2), copy(3)]
      for (const path of [left, leftJournal, young, locked]) writeFileSync(path, "")
      const longAgo = new Date(Date.now() - 3_600_000)
      for (const path of [left, leftJournal, locked]) utimesSync(path, longAgo, longAgo)
      const maker = new DatabaseSync(locked)
      maker.exec("BEGIN EXCLUSIVE")
      assert.isTrue((yield* petstore.verify).ok)
      maker.close()
      assert.sameMembers(
        filesBeside(file),
        [young, locked].map((path) => basename(path))
      )
    })
  )

  it.effect("is readable by its owner only, and is removed if the store closes while it is read", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const modes: Array<number> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { store } = yield* openStore({ file, copyThreshold: -1 })
          const watcher = watch(dirname(file), (_, name) => {
            const path = `${dirname(file)}/${name}`
            if (String(name).endsWith(".verify") && existsSync(path)) modes.push(statSync(path).mode & 0o777)
          })
          yield* detachedOf(store)(store.inspect)
          watcher.close()
        })
      )
      assert.isNotEmpty(modes)
      for (const mode of modes) assert.strictEqual(mode, 0o600)
      assert.deepStrictEqual(filesBeside(file), [])
    })
  )
})
