import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Event } from "@petstore/core"
import { accounts } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { startProgram } from "../../test/support/program.ts"
import { addRow, anAccountRecord } from "../../test/support/rows.ts"
import { temporaryFile } from "../../test/support/temporary.ts"
import { watchedSqlite } from "../../test/support/watchedSqlite.ts"
import { sqlite } from "./sqlite.ts"
import { openStore } from "./store.ts"

const open = (file: string) =>
  Effect.acquireRelease(
    Effect.promise(() => createPetstore({ storage: sqlite(file) })),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** The first events, as many as asked for. */
const take = async (events: AsyncIterable<Event>, count: number): Promise<ReadonlyArray<Event>> => {
  const taken: Array<Event> = []
  for await (const event of events) if (taken.push(event) === count) break
  return taken
}

describe("events of a SQLite file", () => {
  it.effect("given another process that writes, then this one is notified of each commit, in order", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const petstore = yield* open(file)
      const received = take(petstore.events.stream({ after: 0 }), 100)
      const writer = yield* startProgram("write-pets", file, "5", "100")
      const [, ...names] = yield* writer.rest
      const events = yield* Effect.promise(() => received)
      assert.deepStrictEqual(
        events.map(({ seq }) => seq),
        Array.from({ length: 100 }, (_, index) => index + 1)
      )
      assert.sameMembers(
        events.map(({ data }) => "name" in data && data.name),
        names
      )
    })
  )

  it.effect(
    "given a transaction of the host application, then subscribers receive what it commits, and not what it rolls back",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const petstore = yield* open(file)
        const host = yield* Effect.acquireRelease(
          Effect.sync(() => new DatabaseSync(file)),
          (database) => Effect.sync(() => database.close())
        )
        const received = take(petstore.events.stream({ after: 0 }), 2)
        const create = (name: string, end: "COMMIT" | "ROLLBACK") =>
          Effect.promise(async () => {
            host.exec("BEGIN IMMEDIATE")
            await petstore.categories.create({ name }, { transaction: host })
            host.exec(end)
          })
        yield* create("Dogs", "ROLLBACK")
        yield* create("Cats", "COMMIT")
        yield* create("Birds", "ROLLBACK")
        yield* create("Fish", "COMMIT")
        assert.deepStrictEqual(
          (yield* Effect.promise(() => received)).map(({ data, seq }) => [seq, "name" in data && data.name]),
          [
            [1, "Cats"],
            [2, "Fish"]
          ]
        )
      })
  )

  it.effect("given transactions that share a commit, then each watcher is notified once for all", () =>
    Effect.gen(function* () {
      const { store } = yield* openStore({ file: yield* temporaryFile })
      let calls = 0
      yield* store.watch(() => {
        calls++
      })
      const insert = (n: number) => store.transact(addRow(store, accounts, anAccountRecord(String(n))))
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        insert,
        { concurrency: "unbounded" }
      )
      assert.strictEqual(calls, 1)
    })
  )

  it.effect(
    "given a commit of commands, then each watcher that wants them is passed their events, and the log need not be read",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const passed: Array<ReadonlyArray<string> | undefined> = []
        const watched = watchedSqlite(
          file,
          (appeared) => passed.push(appeared?.map(({ seq, type }) => `${seq} ${type}`)),
          { events: true }
        )
        const petstore = yield* Effect.acquireRelease(
          Effect.promise(() => createPetstore({ storage: watched })),
          (opened) => Effect.promise(() => opened.close())
        )
        const place = async () => {
          const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
          const { id: petId } = await petstore.pets.create({ name: "Rex", categoryId })
          await petstore.inventory.set(petId, 2)
          await Promise.all([petstore.orders.place({ petId }), petstore.orders.place({ petId })])
        }
        yield* Effect.promise(place)
        assert.deepStrictEqual(passed, [
          ["1 category.created"],
          ["2 pet.created", "3 inventory.updated"],
          ["4 inventory.updated"],
          ["5 order.placed", "6 inventory.updated", "7 order.placed", "8 inventory.updated", "9 pet.status_changed"]
        ])
      })
  )

  it.effect(
    "given an order whose first event is stored as a whole and the next one as values, then verify finds no problem",
    () =>
      Effect.gen(function* () {
        const petstore = yield* open(yield* temporaryFile)
        yield* Effect.promise(async () => {
          const draft = await petstore.orders.place({ quantity: 2 })
          await petstore.orders.cancel(draft.id)
          const { checks } = await petstore.verify()
          assert.deepStrictEqual(
            checks.filter(({ violations }) => violations > 0),
            []
          )
        })
      })
  )

  it.effect("given a process with an open subscription and nothing else to do, then it ends by itself", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const petstore = yield* open(file)
      yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
      const listener = yield* startProgram("listen", file)
      assert.strictEqual(yield* listener.exit, 0)
    })
  )
})
