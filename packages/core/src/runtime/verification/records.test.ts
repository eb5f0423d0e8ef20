import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { written } from "../../../test/support/writes.ts"
import { trimThrough } from "../../../test/trimStore.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { orders } from "../../tables/orderTable.ts"
import { type RecordRow, recordKeyOf, records } from "../../tables/recordTable.ts"

const rex: RecordRow = { kind: "pets", id: 1, externalId: "A-1", metadata: { chip: "276" }, changes: 2 }

const second: RecordRow = { kind: "orders", id: 2, externalId: "O-2", metadata: {}, changes: 1 }

/** A pet with a record, a deleted one that had one, an order with one, and two complete ones, the first with one. */
const given = Effect.gen(function* () {
  const petstore = yield* Petstore
  yield* petstore.categories.create({ name: "Dogs" })
  for (const name of ["Rex", "Max"]) yield* petstore.pets.create({ name, categoryId: 1 })
  yield* petstore.inventory.set(1, 2)
  yield* petstore.records.update("pets", 1, { externalId: "A-1", metadata: { chip: "275" } })
  yield* petstore.records.update("pets", 1, { metadata: { chip: "276" } })
  yield* petstore.records.update("pets", 2, { externalId: "A-2" })
  yield* petstore.pets.delete(2)
  yield* petstore.orders.place({})
  yield* petstore.records.update("orders", 1, { metadata: { gift: "yes" } })
  for (const id of [2, 3]) {
    yield* petstore.orders.place({ petId: 1, complete: true })
    if (id === 2) yield* petstore.records.update("orders", id, { externalId: "O-2" })
  }
  return petstore
})

const replace = (row: RecordRow, before: RecordRow | undefined) =>
  written([{ table: records.name, key: recordKeyOf(row), row, before }])

const remove = (row: RecordRow) => written([{ remove: records.name, key: recordKeyOf(row), row }])

const later = "2030-01-01T00:00:00.000Z"

const faults = {
  "a text that was changed": [
    replace({ ...rex, metadata: { chip: "277" } }, rex),
    "events_replay_records",
    { subject: "pets/1", metadata: { found: '{"chip":"277"}', expected: '{"chip":"276"}' } }
  ],
  "an external id that was removed": [
    replace({ kind: "pets", id: 1, metadata: rex.metadata, changes: 2 }, rex),
    "events_replay_records",
    { subject: "pets/1", externalId: { found: null, expected: "A-1" } }
  ],
  "a record that is gone": [
    remove(rex),
    "events_replay_records",
    {
      subject: "pets/1",
      externalId: { found: null, expected: "A-1" },
      metadata: { found: "{}", expected: '{"chip":"276"}' },
      changes: { found: 0, expected: 2 }
    }
  ],
  "a number of changes that was changed": [
    replace({ ...rex, changes: 3 }, rex),
    "events_replay_records",
    { subject: "pets/1", changes: { found: 3, expected: 2 } }
  ],
  "a number of changes of a completed order that was changed": [
    replace({ ...second, changes: 2 }, second),
    "events_replay_records",
    { subject: "orders/2", changes: { found: 2, expected: 1 } }
  ],
  "a record of a deleted pet": [
    replace({ kind: "pets", id: 2, externalId: "A-2", metadata: {}, changes: 1 }, undefined),
    "events_replay_records",
    { subject: "pets/2", externalId: { found: "A-2", expected: null }, changes: { found: 1, expected: 0 } }
  ],
  "a record of a completed order that was changed": [
    replace({ ...second, externalId: "O-3" }, second),
    "events_replay_records",
    { subject: "orders/2", externalId: { found: "O-3", expected: "O-2" } }
  ],
  "a record of an order that is said to be another's": [
    replace({ ...second, owner: "7" }, second),
    "events_replay_records",
    { subject: "orders/2", owner: { found: "7", expected: null } }
  ],
  "a record of nothing": [
    replace({ kind: "categories", id: 99, externalId: "A-9", metadata: {}, changes: 1 }, undefined),
    "events_replay_records",
    { subject: "categories/99", externalId: { found: "A-9", expected: null }, changes: { found: 1, expected: 0 } }
  ],
  "a time that was changed": [
    Effect.flatMap(Storage, ({ find }) =>
      Effect.flatMap(find(orders, 1), (before = assert.fail()) =>
        written([{ table: orders.name, key: 1, row: { ...before, updatedAt: later }, before }])
      )
    ),
    "events_replay_orders",
    { subject: "orders/1", updatedAt: { found: later, expected: "1970-01-01T00:00:00.000Z" } }
  ]
} as const

const found = (petstore: Petstore["Service"]) =>
  Effect.map(petstore.verify, ({ checks }) =>
    checks.filter(({ violations }) => violations > 0).map(({ examples, name }) => [name, ...examples])
  )

const run = <A, E>(body: Effect.Effect<A, E, Petstore | Storage>) =>
  Effect.suspend(() => Effect.provide(body, Petstore.layer(memory())))

describe("given resources with records", () => {
  for (const isTrimmed of [false, true]) {
    const what = isTrimmed ? ", all events of which but the last were removed" : ""
    const trim = Effect.flatMap(Petstore, ({ events }) =>
      isTrimmed ? Effect.flatMap(events.latest, (latest) => trimThrough(latest - 1)) : Effect.void
    )
    it.effect(`then nothing is wrong with them${what}`, () =>
      run(
        Effect.gen(function* () {
          const petstore = yield* given
          yield* trim
          assert.deepStrictEqual(yield* found(petstore), [])
          yield* petstore.records.update("pets", 1, { externalId: null })
          yield* petstore.records.update("orders", 2, { externalId: null })
          yield* petstore.records.update("orders", 3, { externalId: "O-3" })
          assert.deepStrictEqual(yield* found(petstore), [])
          yield* trim
          assert.deepStrictEqual(yield* found(petstore), [])
        })
      )
    )

    for (const [name, [damage, rule, example]] of Object.entries(faults)) {
      it.effect(`when there is ${name}${what}, then ${rule} shows it, and nothing else does`, () =>
        run(
          Effect.gen(function* () {
            const petstore = yield* given
            yield* trim
            yield* damage
            assert.deepStrictEqual(yield* found(petstore), [[rule, example]])
          })
        )
      )
    }
  }
})
