import { assert, layer } from "@effect/vitest"
import { aPetRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"
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
import { GroupStatements } from "../commit/group/GroupStatements.ts"
import { appendStatement } from "../events/appendEvents.ts"

const page = { after: 7, limit: 20 }

const petQueries = [undefined, "available" as const].flatMap((status) =>
  [undefined, 3].flatMap((categoryId) =>
    [undefined, "", "Re", "\u{10FFFF}"].flatMap((name) =>
      [{ after: 0 }, { after: 7, afterName: "Rex" }].map((place) => ({ status, categoryId, name, ...place, limit: 20 }))
    )
  )
)

const orderQueries = [undefined, "7 ada"].flatMap((owner) =>
  [undefined, 3].flatMap((petId) => [undefined, true, false].map((complete) => ({ owner, petId, complete, ...page })))
)

const pet = { ...aPetRecord(), id: 1 }

layer(Databases.layer, { timeout: 60_000 })("how PostgreSQL finds rows", (it) => {
  it.effect(
    "a list reads a range of one index and sorts at most the rows of its page, whatever its filters and the data",
    () =>
      Effect.gen(function* () {
        const statements = yield* statementsOf((storage) => [
          ...petQueries.map(storage.pets.list),
          ...petQueries.map(storage.pets.listShown),
          ...orderQueries.map(storage.orders.list),
          storage.categories.list(7, 20),
          storage.movements.list(3, 7, 20),
          storage.messages.list({ after: "msg_7", limit: 20 }),
          storage.messages.list({ status: "queued", after: "msg_7", limit: 20 }),
          storage.accounts.list(7, 20),
          storage.apiKeys.list(7, 20),
          storage.webhooks.list(7, 20),
          storage.webhooks.scan(7, 20),
          storage.deliveries.list({ webhookId: 1, after: 7, limit: 20 }),
          storage.deliveries.list({ webhookId: 1, status: "pending", after: 7, limit: 20 }),
          storage.deliveries.ofEvents(1, 7, 20),
          storage.deliveries.scan(7, 20),
          storage.consumers.list("c7", 20),
          storage.events.scan(7, 20),
          storage.pets.scan(7, 20),
          storage.categories.scan(7, 20),
          storage.orders.scan(7, 20),
          storage.movements.scan({ petId: 3, seq: 7 }, 20),
          storage.idempotency.scan({ accountId: 1, key: "a" }, 20),
          storage.imports.scan({ file: "a", seq: 7 }, 20)
        ])
        assert.strictEqual(statements.length, 2 * petQueries.length + orderQueries.length + 20)
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
      const statements = yield* statementsOf(({ orders, pets }) => [
        ...filtered.map(pets.list),
        ...orderQueries.map(orders.list)
      ])
      const expected = [
        ...filtered.map(
          ({ categoryId, name }) =>
            `petstore_pets${categoryId === undefined ? "" : "_category"}_status${name === undefined ? "" : "_name"}`
        ),
        ...orderQueries.map(({ owner, petId }) => {
          if (owner === undefined) return `petstore_orders_${petId === undefined ? "complete" : "pet"}`
          return `petstore_orders_owner${petId === undefined ? "" : "_pet"}`
        })
      ]
      const expectedOf = new Map(statements.map(({ text }, index) => [text, expected[index]]))
      yield* eachPlan(statements, (plan, description) => {
        const text = description.slice(0, description.indexOf("\nin a database"))
        for (const scan of scansOf(plan)) assert.strictEqual(scan["Index Name"], expectedOf.get(text), description)
      })
    })
  )

  it.effect("no look-up and no write goes through a table", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf((storage) => [
        storage.pets.find(1),
        storage.pets.lock(1),
        storage.pets.saveStock(pet),
        storage.pets.save(pet),
        storage.pets.list({ ids: [1, 2, 3], after: 0, limit: 20 }),
        storage.pets.list({ ids: [1, 2, 3], name: "Re", status: "available", after: 0, limit: 20 }),
        storage.categories.find(1),
        storage.categories.findByName("dogs"),
        storage.categories.lock(1),
        storage.categories.lockShared(1),
        storage.orders.find(1),
        storage.orders.lock(1),
        storage.orders.owners([1, 2, 3]),
        storage.orders.save({ id: 1, version: 1, order: { state: "open", petId: 1, quantity: 1 } }),
        storage.messages.find("msg_1"),
        storage.accounts.find(1),
        storage.accounts.findByName("till"),
        storage.apiKeys.find(1),
        storage.apiKeys.touch(1, "2026"),
        storage.idempotency.lock(1, "a"),
        storage.imports.lock("a"),
        storage.webhooks.find(1),
        storage.webhooks.lock(1),
        storage.deliveries.find(1),
        storage.consumers.find("c7"),
        storage.consumers.lock("c7")
      ])
      assert.strictEqual(statements.length, 26)
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
      const statements: ReadonlyArray<Recorded> = [
        ...[[1], [1, 2, 3]].flatMap((ids) =>
          [true, false].flatMap((waits) => [
            group.lockPets(ids, waits),
            group.lockOrders(ids, waits),
            group.shareCategories(ids, waits),
            group.lockPetsAndThoseOf(ids, ids, waits)
          ])
        ),
        ...of(pet).flatMap((pets) => [group.updatePets(pets), group.updatePetStocks(pets)]),
        ...of(order).map((orders) => group.updateOrders(orders)),
        group.findRecords(["1 a"]),
        group.findRecords(["1 a", "1 b", "2 a"]),
        ...of(record).map((records) => group.saveKeys(records))
      ]
      yield* eachPlan(statements, (plan, description) => {
        for (const scan of scansOf(plan)) {
          assert.match(scan["Node Type"], /^(Index (Only )?Scan|Bitmap (Heap|Index) Scan)$/, description)
          if (/^Index/.test(scan["Node Type"])) assert.isDefined(scan["Index Cond"], description)
        }
      })
    })
  )

  it.effect("another admin key is looked for among live admin keys alone", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(({ apiKeys }) => [apiKeys.otherAdminExists(1, "2026")])
      assert.strictEqual(statements.length, 1)
      yield* eachPlan(statements, (plan, description) => {
        for (const scan of scansOf(plan)) assert.strictEqual(scan["Index Name"], "petstore_api_keys_admin", description)
      })
    })
  )

  it.effect("messages that are due, leased or old are found by the indexes for them", () =>
    Effect.gen(function* () {
      const limits = { now: "2026", longestLease: "2027", longestDelay: "2028", limit: 20 }
      const statements = yield* statementsOf(({ messages }) => [
        messages.nextDue,
        messages.lockClaimable(limits),
        messages.lockDelivered("2026", 20)
      ])
      assert.strictEqual(statements.length, 5)
      const indexes = new Set<string | undefined>()
      yield* eachPlan(statements, (plan, description) => {
        for (const scan of scansOf(plan)) {
          assert.match(scan["Index Name"] ?? "", /^petstore_messages_(due|leased|delivered)$/, description)
          indexes.add(scan["Index Name"])
        }
        assert.deepStrictEqual(
          below(plan).filter(({ "Node Type": type }) => /Sort$/.test(type)),
          [],
          description
        )
      })
      assert.strictEqual(indexes.size, 3)
    })
  )

  it.effect("deliveries that are due, leased or first of a subject are found by the indexes for them", () =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(({ deliveries }) => [
        deliveries.due(1, "2026", 20),
        deliveries.nextDue(1),
        deliveries.leased(1, "2026"),
        deliveries.pending(1, "pets/1", 1)
      ])
      assert.strictEqual(statements.length, 4)
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
      const statements = yield* statementsOf(({ deliveries, messages }) => [
        deliveries.backlogs(100, 1_000),
        messages.count("queued", 1_000)
      ])
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
      const statements = yield* statementsOf(({ idempotency }) => [idempotency.purge("2026", 20)])
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
