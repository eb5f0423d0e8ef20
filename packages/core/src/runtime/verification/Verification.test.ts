import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { removed, saved, written } from "../../../test/support/writes.ts"
import type { Table } from "../../kernel/Table.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { VerificationProgress } from "../../ports/progress.ts"
import { Storage } from "../../ports/Storage.ts"
import { idempotencyKeys, messages, orders } from "../../tables/index.ts"

describe("given an empty store", () => {
  it.effect("then every rule holds, on no row but the store itself and its checkpoint", () =>
    Effect.gen(function* () {
      const report = yield* Effect.flatMap(Petstore, ({ verify }) => verify)
      assert.isTrue(report.ok)
      assert.deepStrictEqual(
        report.checks.flatMap(({ checked, name }) => (checked > 0 ? [[name, checked]] : [])),
        [
          ["store_intact", 1],
          ["checkpoints_whole", 1]
        ]
      )
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})

describe("given a ledger, a queue and a log that take several pages each", () => {
  it.effect("then every row of them is checked once, and the share that is done grows to all of it", () =>
    Effect.gen(function* () {
      const petstore = yield* Petstore
      const changes = 1_200
      yield* petstore.categories.create({ name: "Dogs" })
      yield* petstore.pets.create({ name: "Rex", categoryId: 1 })
      yield* petstore.pets.create({ name: "Max", categoryId: 1 })
      for (let step = 1; step <= changes; step++) {
        yield* petstore.inventory.set(1, 1 + step)
        yield* petstore.messages.enqueue(`Message ${step}`)
      }
      const shares: Array<number> = []
      const report = yield* Effect.provideService(petstore.verify, VerificationProgress, (share) => {
        shares.push(share)
      })
      assert.isAbove(shares.length, 10)
      assert.isBelow(shares[0] ?? 1, 0.2)
      assert.deepStrictEqual(
        shares,
        shares.toSorted((a, b) => a - b)
      )
      assert.strictEqual(shares.at(-1), 1)
      const checked = (rule: string) => report.checks.find(({ name }) => name === rule)?.checked
      assert.deepStrictEqual(
        report.checks.filter(({ violations }) => violations > 0),
        []
      )
      assert.strictEqual(checked("movements_known"), 1 + changes + 1)
      // Each row, and each event.
      assert.strictEqual(checked("messages_have_events"), 2 * changes)
      assert.strictEqual(checked("events_numbered"), 1 + 2 + 2 + 2 * changes)
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})

describe("given a store with nothing but an event or a stored result, whose row is gone", () => {
  const removal = <Row, Key extends number | string>(table: Table<Row, Key>) =>
    Effect.flatMap(
      Effect.flatMap(Storage, (store) => store.scan(table, [], 1)),
      (rows) => written(rows.map((row) => removed(table, row)))
    )
  const resultOf = (operation: string, id: number | string) =>
    written([
      saved(idempotencyKeys, {
        accountId: 0,
        key: "gone",
        operation,
        fingerprint: new Uint8Array(32),
        result: JSON.stringify({ id }),
        createdAt: "1970-01-01T00:00:00.000Z"
      })
    ])
  const makeOrder = Effect.flatMap(Petstore, (petstore) => petstore.orders.place({}))
  const makeMessage = Effect.flatMap(Petstore, (petstore) => petstore.messages.enqueue("Hello"))
  const cases = {
    "the event of an order": [Effect.andThen(makeOrder, removal(orders)), "events_replay_orders"],
    "the event of a message": [Effect.andThen(makeMessage, removal(messages)), "messages_have_events"],
    "the stored result of a category": [resultOf("categories.create", 1), "idempotency_results"],
    "the stored result of a pet": [resultOf("pets.create", 1), "idempotency_results"],
    "the stored result of an order": [resultOf("orders.place", 1), "idempotency_results"],
    "the stored result of a message": [resultOf("messages.enqueue", "msg_1"), "idempotency_results"],
    "the stored result of an account": [resultOf("accounts.create", 1), "idempotency_results"]
  } as const
  for (const [given, [damage, rule]] of Object.entries(cases)) {
    it.effect(`when it is ${given}, then ${rule} shows it`, () =>
      Effect.gen(function* () {
        yield* damage
        const { checks } = yield* Effect.flatMap(Petstore, ({ verify }) => verify)
        assert.deepStrictEqual(
          checks.flatMap(({ name, violations }) => (violations > 0 ? [[name, violations]] : [])),
          [[rule, 1]]
        )
      }).pipe(Effect.provide(Petstore.layer(memory())))
    )
  }
})
