import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import type { Storage } from "@petstore/core/ports"
import { pets } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { commandOf, startCommand } from "../../../test/support/program.ts"
import { addCategory, addPet } from "../../../test/support/rows.ts"
import { smallDisk } from "../../../test/support/smallDisk.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import type { StoreOptions } from "../SqliteOptions.ts"
import { openStore } from "../store.ts"

/** The ways to inspect a file, which otherwise depend on its size. */
const ways: Readonly<Record<string, Partial<StoreOptions>>> = {
  "in the event loop": {},
  "in a worker thread": { workerThreshold: -1 },
  "in a worker thread, on a copy": { copyThreshold: -1 }
}

const addPets = (store: Storage["Service"], categoryId: number, count: number) =>
  store.run(function* (tx) {
    for (let n = 0; n < count; n++) yield* addPet(tx, categoryId, `Pet ${n}`)
  })

const opened = (options: Partial<StoreOptions>) =>
  Effect.gen(function* () {
    const file = yield* temporaryFile
    const { store } = yield* openStore({ file, ...options })
    const categoryId = yield* store.run((tx) => addCategory(tx))
    yield* addPets(store, categoryId, 50)
    return { file, inspect: store.detachedSnapshot?.(store.inspect) ?? assert.fail(), store }
  })

const alter = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; ${sql}`)
  database.close()
}

/** Statements that damage a file, each of which is one problem. */
const damages = [
  // A constraint is broken.
  "UPDATE petstore_pets SET status = 'sold' WHERE id = 2",
  // A reference is broken.
  "UPDATE petstore_pets SET category_id = 9 WHERE id = 3",
  // An account is not in the log.
  "INSERT INTO petstore_access_log (subject, state) VALUES ('accounts/9', '[1,2,3]')",
  // A trigger is missing.
  "DROP TRIGGER petstore_movements_left",
  // A migration is not recorded.
  "DELETE FROM petstore_migrations WHERE id = 1"
]

for (const [way, options] of Object.entries(ways)) {
  describe(`inspecting a file ${way}`, () => {
    it.effect("finds no problem in a sound file, and each in a damaged one, as in the event loop", () =>
      Effect.gen(function* () {
        const here = yield* opened({})
        const there = yield* opened(options)
        assert.deepStrictEqual(yield* there.inspect, [])
        for (const { file } of [here, there]) alter(file, damages.join(";"))
        const problems = yield* there.inspect
        assert.lengthOf(problems, damages.length)
        assert.deepStrictEqual(problems, yield* here.inspect)
      })
    )

    it.effect("finds damaged pages", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { store } = yield* openStore({ file })
            const categoryId = yield* store.run((tx) => addCategory(tx))
            yield* addPets(store, categoryId, 200)
          })
        )
        const database = new DatabaseSync(file)
        const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'petstore_pets'").get()
        database.close()
        const bytes = readFileSync(file)
        bytes.fill(0x5a, (Number(root?.rootpage) - 1) * 4096 + 100, Number(root?.rootpage) * 4096)
        writeFileSync(file, bytes)
        const { store } = yield* openStore({ file, ...options })
        assert.isNotEmpty(yield* store.detachedSnapshot?.(store.inspect) ?? assert.fail())
      })
    )

    it.effect("ignores the tables of the host application, whose functions other connections do not have", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const host = new DatabaseSync(file)
        host.function("is_even", (n) => Number(Number(n) % 2 === 0))
        host.exec("CREATE TABLE notes (n INTEGER CHECK (is_even(n))); INSERT INTO notes VALUES (2)")
        const { store } = yield* openStore({ file, host, tablePrefix: "shop_", ...options })
        yield* store.run((tx) => addCategory(tx))
        assert.deepStrictEqual(yield* store.detachedSnapshot?.(store.inspect) ?? assert.fail(), [])
        host.close()
      })
    )
  })
}

describe("inspecting a file in a worker thread", () => {
  it.effect("leaves the event loop to other calls", () =>
    Effect.gen(function* () {
      const { inspect, store } = yield* opened({ workerThreshold: -1 })
      const inspection = yield* Effect.forkChild(inspect)
      let reads = 0
      while (inspection.pollUnsafe() === undefined) {
        assert.isDefined(yield* store.find(pets, 1))
        reads++
        yield* Effect.promise(() => new Promise(setImmediate))
      }
      assert.isAbove(reads, 1)
      assert.deepStrictEqual(yield* Fiber.join(inspection), [])
    })
  )

  it.effect("sees one committed state while others write", () =>
    Effect.gen(function* () {
      const { inspect, store } = yield* opened({ workerThreshold: -1 })
      let written = 0
      const writing = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.suspend(() => store.run((tx) => addPet(tx, 1, `Rex ${written++}`))),
            Effect.promise(() => new Promise(setImmediate))
          )
        )
      )
      for (let round = 0; round < 3; round++) assert.deepStrictEqual(yield* inspect, [])
      yield* Fiber.interrupt(writing)
      assert.isAbove(written, 3)
    })
  )

  it.effect("that is interrupted leaves a store that can be inspected again", () =>
    Effect.gen(function* () {
      const { inspect } = yield* opened({ workerThreshold: -1 })
      for (const turns of [0, 1, 5, 20]) {
        const inspection = yield* Effect.forkChild(inspect)
        for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => new Promise(setImmediate))
        yield* Fiber.interrupt(inspection)
      }
      assert.deepStrictEqual(yield* inspect, [])
    })
  )

  it.effect("does not open a file that was replaced", () =>
    Effect.gen(function* () {
      const { file, store } = yield* opened({ workerThreshold: -1 })
      rmSync(file)
      writeFileSync(file, "")
      const error = yield* Effect.flip(store.inspect)
      assert.strictEqual(error._tag, "StorageUnavailable")
      assert.strictEqual(readFileSync(file).length, 0)
    })
  )

  it.effect("works in the event loop if the process may not start threads", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const [node, ...args] = yield* commandOf("inspect-file", file)
      const program = yield* startCommand([node, "--permission", "--allow-fs-read=*", "--allow-fs-write=*", ...args])
      assert.strictEqual(yield* program.line, "[]")
    })
  )

  it.effect("names the folder for temporary files if that is full", (test) =>
    Effect.gen(function* () {
      const folder = yield* smallDisk
      if (folder === undefined) return test.skip("this process may not mount a small disk: run the tests as root")
      const file = yield* temporaryFile
      yield* Effect.scoped(openStore({ file }))
      alter(
        file,
        `WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n LIMIT 60000)
          INSERT INTO petstore_events (id, type, subject, timestamp, data)
          SELECT 'evt_' || hex(randomblob(40)), 'pet.created', 'pets/' || seq, '2026-01-01T00:00:00.000Z', '{}' FROM n`
      )
      const program = yield* startCommand([
        "env",
        `SQLITE_TMPDIR=${folder}`,
        ...(yield* commandOf("inspect-file", file))
      ])
      assert.match(
        (yield* program.line) ?? "",
        new RegExp(`^StorageFull: There is no room for temporary files in ${folder}\\. Free .* SQLITE_TMPDIR`)
      )
    })
  )
})
