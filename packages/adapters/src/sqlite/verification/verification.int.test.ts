import { readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Petstore } from "@petstore/core/effect"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { openDatabase, openGuest } from "../../../test/support/host.ts"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { sqlite } from "../sqlite.ts"

const open = (file: string) =>
  Effect.map(Layer.build(Petstore.layer(sqlite(file))), (context) => Context.get(context, Petstore))

/** The time of the tests. */
const start = "1970-01-01T00:00:00.000Z"

/** A shop with two pets; of the first, one of three units is reserved. */
const opened = Effect.gen(function* () {
  const file = yield* temporaryFileInMemory
  const petstore = yield* open(file)
  yield* petstore.categories.create({ name: "Dogs" })
  yield* petstore.pets.create({ name: "Rex", categoryId: 1 })
  yield* petstore.pets.create({ name: "Max", categoryId: 1 })
  yield* petstore.inventory.set(1, 3)
  yield* petstore.orders.place({ petId: 1 })
  yield* petstore.messages.enqueue("Hello", { idempotencyKey: "hello" })
  return { file, petstore }
})

/** What a change of the file behind the store's back breaks. */
const brokenBy = (sql: string) =>
  Effect.gen(function* () {
    const { file, petstore } = yield* opened
    const database = new DatabaseSync(file)
    database.exec(`PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; ${sql}`)
    database.close()
    const { checks } = yield* petstore.verify
    return Object.fromEntries(checks.flatMap(({ examples, name }) => (examples.length > 0 ? [[name, examples]] : [])))
  })

describe("verify of a file", () => {
  it.effect("reads one committed state while others write", () =>
    Effect.gen(function* () {
      const { petstore } = yield* opened
      let written = 0
      const writing = Effect.forever(
        Effect.andThen(
          petstore.pets.create({ name: "Rex", categoryId: 1 }),
          Effect.sync(() => {
            written++
          })
        )
      )
      const writers = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 16 }, () => writing),
          { concurrency: 16 }
        )
      )
      for (let round = 1; round <= 6; round++) {
        const before = written
        const report = yield* petstore.verify
        const pets = report.checks.find(({ name }) => name === "stock_in_bounds")?.checked ?? 0
        assert.isTrue(report.ok)
        assert.isAtLeast(pets, 2 + before)
        assert.isAtMost(pets, 2 + written)
      }
      yield* Fiber.interrupt(writers)
      assert.isAbove(written, 16)
    })
  )

  const exact: ReadonlyArray<readonly [what: string, sql: string, found: unknown]> = [
    [
      "a stock level without a movement or an event",
      "UPDATE petstore_pets SET on_hand = 4 WHERE id = 1",
      {
        ledger_adds_up: [{ petId: 1, onHand: { found: 4, expected: 3 } }],
        events_replay_inventory: [{ subject: "inventory/1", onHand: { found: 4, expected: 3 } }]
      }
    ],
    [
      "a status that does not follow from the stock, which also breaks a constraint of the file",
      "UPDATE petstore_pets SET status = 'sold' WHERE id = 2",
      {
        store_intact: [{ problem: "CHECK constraint failed in petstore_pets" }],
        one_status: [{ petId: 2, listed: { found: "sold", expected: "available" } }]
      }
    ],
    [
      "a movement that was removed from the ledger",
      "DROP TRIGGER petstore_movements_left; DELETE FROM petstore_movements WHERE pet_id = 1 AND seq = 2",
      {
        store_intact: [{ problem: "the trigger petstore_movements_left is missing" }],
        ledger_numbered: [{ petId: 1, seq: 3, expected: 2 }],
        ledger_adds_up: [{ petId: 1, onHand: { found: 3, expected: 1 } }],
        movements_have_events: [
          {
            petId: 1,
            lastMovement: { at: start, onHand: 1, reserved: 1, held: false },
            lastEvent: { at: start, onHand: 3, reserved: 1, held: false }
          }
        ]
      }
    ],
    [
      "an event that was removed from the log",
      "DROP TRIGGER petstore_events_left; DELETE FROM petstore_events WHERE seq = 7",
      {
        store_intact: [{ problem: "the trigger petstore_events_left is missing" }],
        events_numbered: [{ seq: 8, expected: 7 }],
        events_replay_orders: [{ subject: "orders/1", problem: "no event is about it" }]
      }
    ]
  ]
  for (const [what, sql, found] of exact) {
    it.effect(`finds ${what}`, () => Effect.map(brokenBy(sql), (broken) => assert.deepStrictEqual(broken, found)))
  }

  it.effect(
    "finds tables, indexes and triggers that are missing or altered, and ignores those of the host application",
    () =>
      Effect.gen(function* () {
        const sql = `DROP INDEX petstore_categories_name;
        DROP INDEX petstore_pets_live; CREATE INDEX petstore_pets_live ON petstore_pets (id);
        DROP TRIGGER petstore_events_kept;
        ALTER TABLE petstore_messages ADD COLUMN colour TEXT;
        CREATE TABLE hosts (id INTEGER PRIMARY KEY); CREATE INDEX hosts_of_pets ON petstore_pets (version);
        CREATE TRIGGER hosts_listen AFTER INSERT ON petstore_pets BEGIN INSERT INTO hosts VALUES (NULL); END`
        assert.deepStrictEqual(yield* brokenBy(sql), {
          store_intact: [
            { problem: "the index petstore_categories_name is missing" },
            { problem: "the index petstore_pets_live differs from the one that the migrations create" },
            { problem: "the table petstore_messages differs from the one that the migrations create" },
            { problem: "the trigger petstore_events_kept is missing" },
            { problem: "its rows cannot be read: no such index: petstore_categories_name" }
          ]
        })
      })
  )

  it.effect("ignores violations in tables of the host application, and finds those in its own tables", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      const host = yield* openDatabase(file, { enableForeignKeyConstraints: false })
      host.function("twice", { deterministic: true }, (value) => Number(value) * 2)
      host.exec(`CREATE TABLE invoices (amount INTEGER CHECK (twice(amount) > 0));
        CREATE INDEX doubled ON invoices (twice(amount));
        INSERT INTO invoices (amount) VALUES (1)`)
      const petstore = yield* openGuest(host)
      yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
      assert.isTrue((yield* Effect.promise(() => petstore.verify())).ok)
      host.exec("PRAGMA ignore_check_constraints = ON; UPDATE petstore_categories SET version = 0 WHERE id = 1")
      assert.include(JSON.stringify(yield* Effect.promise(() => petstore.verify())), "CHECK constraint failed")
    })
  )

  const intact: ReadonlyArray<readonly [what: string, sql: string, found: RegExp]> = [
    [
      "a table that is missing",
      "DROP TABLE petstore_parked_events",
      /petstore_parked_events is missing.*cannot be read: no such table/
    ],
    [
      "two events with the same id",
      `DROP TRIGGER petstore_events_kept;
        UPDATE petstore_events SET id = (SELECT id FROM petstore_events WHERE seq = 2) WHERE seq = 5`,
      /"problem":"2 events have the id evt_[0-9a-z]{22}"/
    ],
    [
      "rows that cannot be read",
      "DROP TRIGGER petstore_events_kept; UPDATE petstore_events SET data = 'broken'",
      /its rows cannot be read: .*not valid JSON/
    ],
    [
      "a value that no constraint of the file can check",
      `INSERT INTO petstore_accounts (name, name_key, created_at) VALUES ('Shop', 'shop', '2026-01-01T00:00:00.000Z');
        INSERT INTO petstore_api_keys (account_id, name, scopes, created_at, digest, revoked)
        VALUES (1, 'Till', 'broken', '2026-01-01T00:00:00.000Z', zeroblob(32), 0)`,
      /malformed JSON/
    ]
  ]
  for (const [what, sql, found] of intact) {
    it.effect(`finds ${what}`, () =>
      Effect.map(brokenBy(sql), (broken) => {
        assert.deepStrictEqual(Object.keys(broken), ["store_intact"])
        assert.match(JSON.stringify(broken.store_intact), found)
      })
    )
  }

  it.effect("finds damaged pages, and does not fail if the rows on them cannot be read", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFileInMemory
      yield* Effect.scoped(
        Effect.flatMap(open(file), (petstore) =>
          Effect.andThen(
            petstore.categories.create({ name: "Dogs" }),
            Effect.forEach(Array.from({ length: 500 }), () => petstore.pets.create({ name: "Rex", categoryId: 1 }))
          )
        )
      )
      const bytes = readFileSync(file)
      const start = Math.floor((bytes.length * 0.6) / 4096) * 4096
      writeFileSync(file, bytes.fill(0xa5, start, start + 3 * 4096))
      const { checks, ok } = yield* Effect.flatMap(open(file), (petstore) => petstore.verify)
      assert.isFalse(ok)
      const [intact] = checks
      assert.strictEqual(intact?.name, "store_intact")
      assert.include(JSON.stringify(intact?.examples), "returns error code 11")
    })
  )
})
