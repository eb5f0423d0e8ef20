import { assert, layer } from "@effect/vitest"
import {
  checkpoints,
  idempotencyKeys,
  ordersBy,
  ordersReversedBy,
  pets,
  petsBy,
  petsReversedBy
} from "@petstore/core/tables"
import { aPetRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"
import {
  adminKeys,
  deliveriesToMake,
  lengths,
  lookUps,
  messagesToDeliver,
  orderQueries,
  pages,
  petQueries
} from "../../../test/support/askedRows.ts"
import {
  below,
  Databases,
  eachPlan,
  isScan,
  type Recorded,
  readWhole,
  scansOf,
  statementsOf
} from "../../../test/support/postgres/plans.ts"
import { tableNamed } from "../../sql/tableText.ts"
import { GroupStatements } from "../commit/group/GroupStatements.ts"
import { GuessedWrites } from "../commit/group/GuessedWrites.ts"
import { HeldRows, idBlocks } from "../commit/group/HeldRows.ts"
import { appendStatement } from "../events/appendEvents.ts"

const pet = aPetRecord({ id: 1 })

layer(Databases.layer, { timeout: 60_000 })("how PostgreSQL finds rows", (it) => {
  it.effect(
    "a list reads a range of one index and sorts at most the rows of its page, whatever its filters and the data",
    () =>
      Effect.gen(function* () {
        const statements = yield* statementsOf(pages)
        assert.isAbove(statements.length, 100)
        yield* eachPlan(statements, (plan, description) => {
          for (const scan of scansOf(plan)) {
            assert.match(scan["Node Type"], /^Index (Only )?Scan$/, description)
            assert.isDefined(scan["Index Cond"], description)
            // A condition that only filters reads and drops rows, but for tombstones.
            if (scan.Filter !== undefined) assert.match(scan.Filter, /^\(NOT (deleted|revoked)\)$/, description)
          }
          for (const sort of below(plan).filter(({ "Node Type": type }) => /Sort$/.test(type))) {
            assert.deepStrictEqual(readWhole(sort).filter(isScan), [], description)
          }
        })
      })
  )

  it.effect("the filtered lists of pets and orders read the index that is made for them", () =>
    Effect.gen(function* () {
      const filtered = petQueries.filter(({ categoryId, name, status }) => (status ?? categoryId ?? name) !== undefined)
      const statements = yield* statementsOf(({ select }) => [
        ...filtered.map((query) => select(petsBy, query, 20)),
        ...orderQueries.map((query) => select(ordersBy, query, 20)),
        ...filtered.map((query) => select(petsReversedBy, query, 20)),
        ...orderQueries.map((query) => select(ordersReversedBy, query, 20))
      ])
      const indexes = [
        ...filtered.map(
          ({ categoryId, name }) =>
            `petstore_pets${categoryId === undefined ? "" : "_category"}_status${name === undefined ? "" : "_name"}`
        ),
        ...orderQueries.map(({ owner, petId }) => {
          if (owner === undefined) return `petstore_orders_${petId === undefined ? "state" : "pet"}`
          return `petstore_orders_owner${petId === undefined ? "" : "_pet"}`
        })
      ]
      const expectedOf = new Map(statements.map(({ text }, index) => [text, indexes[index % indexes.length]]))
      yield* eachPlan(statements, (plan, description) => {
        const text = description.slice(0, description.indexOf("\nin a database"))
        for (const scan of scansOf(plan)) assert.strictEqual(scan["Index Name"], expectedOf.get(text), description)
      })
    })
  )

  it.effect("no look-up and no write goes through a table", () =>
    Effect.gen(function* () {
      const renamed = { ...pet, name: "Max" }
      const statements = yield* statementsOf((storage) => [
        ...lookUps(storage),
        storage.write([{ table: pets.name, key: 1, row: renamed, before: pet }]),
        storage.write(["orders/1", "orders/2"].map((key) => ({ remove: checkpoints.name, key, row: {} })))
      ])
      assert.isAbove(statements.length, 25)
      yield* eachPlan(statements, (plan, description) => {
        const scans = scansOf(plan)
        assert.isNotEmpty(scans, description)
        for (const scan of scans) {
          assert.match(scan["Node Type"], /^(Index (Only )?Scan|Bitmap (Heap|Index) Scan)$/, description)
          if (/^Index/.test(scan["Node Type"])) assert.isDefined(scan["Index Cond"], description)
        }
      })
    })
  )

  it.effect("no statement of a group goes through a table, however many rows it is about", () =>
    Effect.gen(function* () {
      const group = new GroupStatements("petstore")
      const order = { id: 1, version: 1, order: { state: "open", petId: 1, quantity: 1 } } as const
      const record = {
        accountId: 1,
        key: "a",
        operation: "o",
        fingerprint: new Uint8Array(32),
        result: "{}",
        createdAt: "2026"
      }
      const of = <A>(one: A) => [[one], [one, one, one]]
      const changed = [pet, { ...pet, stockVersion: 2 }] as const
      const amended = [order, { ...order, version: 2 }] as const
      const held = new HeldRows(idBlocks())
      held.of("pets").guess(1, pet)
      held.of("pets").save(1, changed[1])
      held.of("idempotency").guess("1 a", undefined)
      held.of("idempotency").save("1 a", record)
      const statements: ReadonlyArray<Recorded | undefined> = [
        ...[[1], [1, 2, 3]].flatMap((ids) =>
          [true, false].flatMap((waits) => [
            ...["pets", "orders", "categories"].map((table) => group.of(table).lock(ids, waits)),
            group.of("pets").lockWithThoseOf(ids, { table: tableNamed("orders"), column: "pet_id", keys: ids }, waits)
          ])
        ),
        ...of(changed).map((rows) => group.of("pets").update(rows)),
        ...of(amended).map((rows) => group.of("orders").update(rows)),
        group.of("idempotency").find(["1 a"]),
        group.of("idempotency").find(["1 a", "1 b", "2 a"]),
        ...of(record).map((records) => group.of("idempotency").insert(records)),
        new GuessedWrites("petstore").of(held)
      ]
      yield* eachPlan(
        statements.filter((one) => one !== undefined),
        (plan, description) => {
          for (const scan of scansOf(plan)) {
            assert.match(scan["Node Type"], /^(Index (Only )?Scan|Bitmap (Heap|Index) Scan)$/, description)
            if (/^Index/.test(scan["Node Type"])) assert.isDefined(scan["Index Cond"], description)
          }
        }
      )
    })
  )

  it.effect("another admin key is looked for among live admin keys alone", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(adminKeys)
      assert.strictEqual(statements.length, 1)
      yield* eachPlan(statements, (plan, description) => {
        for (const scan of scansOf(plan)) assert.strictEqual(scan["Index Name"], "petstore_api_keys_admin", description)
      })
    })
  )

  it.effect("messages that are due, leased or old are found by the indexes for them", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(messagesToDeliver)
      assert.strictEqual(statements.length, 9)
      const indexes = new Set<string | undefined>()
      yield* eachPlan(statements, (plan, description) => {
        for (const scan of scansOf(plan)) {
          assert.match(scan["Index Name"] ?? "", /^petstore_messages_(due|leased|delivered)$/, description)
          indexes.add(scan["Index Name"])
        }
        for (const sort of below(plan).filter(({ "Node Type": type }) => /Sort$/.test(type))) {
          assert.deepStrictEqual(readWhole(sort).filter(isScan), [], description)
        }
      })
      assert.strictEqual(indexes.size, 3)
    })
  )

  it.effect("deliveries that are due, leased or first of a subject are found by the indexes for them", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(deliveriesToMake)
      assert.strictEqual(statements.length, 3)
      const indexes = new Set<string | undefined>()
      yield* eachPlan(statements, (plan, description) => {
        const scans = scansOf(plan)
        assert.isNotEmpty(scans, description)
        for (const scan of scans) {
          assert.match(scan["Index Name"] ?? "", /^petstore_deliveries_(due|leased|subject)$/, description)
          indexes.add(scan["Index Name"])
        }
      })
      assert.strictEqual(indexes.size, 3)
    })
  )

  it.effect("queues are counted by the indexes of their statuses", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(lengths)
      assert.strictEqual(statements.length, 2)
      yield* eachPlan(statements, (plan, description) => {
        for (const scan of scansOf(plan).filter(({ "Relation Name": table }) => table !== "petstore_webhooks")) {
          assert.match(scan["Index Name"] ?? "", /^petstore_(deliveries|messages)_/, description)
          assert.match(scan["Node Type"], /^Index/, description)
        }
      })
    })
  )

  it.effect("old idempotency records are found by their age", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(({ write }) => [
        write([{ purge: idempotencyKeys.name, before: "2026", limit: 20 }])
      ])
      assert.strictEqual(statements.length, 1)
      yield* eachPlan(statements, (plan, description) => {
        const scans = scansOf(plan)
        assert.isTrue(
          scans.some((scan) => scan["Index Name"] === "petstore_idempotency_age"),
          description
        )
        for (const scan of scans) assert.notStrictEqual(scan["Node Type"], "Seq Scan", description)
      })
    })
  )

  it.effect("events are appended without reading the log", () =>
    Effect.gen(function* () {
      const event = {
        id: "evt_1",
        type: "pet.deleted",
        subject: "pets/1",
        timestamp: "2026",
        data: '{"id":1}',
        trace: null
      } as const
      const append = appendStatement("petstore")
      const values = Object.values(event).map((value) => [value])
      const many = Array.from({ length: 8 }, () => event)
      const statements = [
        append([event], false),
        ...[false, true].map((numbersPending) => ({ text: append(many, numbersPending).text, values }))
      ]
      yield* eachPlan(statements, (plan, description) => {
        const tables = scansOf(plan).map((scan) => scan["Relation Name"])
        assert.isNotEmpty(tables, description)
        assert.notInclude(tables, "petstore_events", description)
      })
    })
  )
})
