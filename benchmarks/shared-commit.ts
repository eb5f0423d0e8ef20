// How fast concurrent durable orders are, against the same five statements without any engine around them.
// Each round runs every variant once, so that other load on the machine affects all of them equally.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sqlite } from "@petstore/adapters/sqlite"
import { StockRules } from "@petstore/core/domain"
import { Storage } from "@petstore/core/ports"
import { aNewCategoryRecord, aPetRecord } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Store = Storage["Service"]

const rounds = 9
const pets = 100
const at = "2026-01-01T00:00:00.000Z"
const stock = { onHand: 1_000_000_000, reserved: 0, held: false }
const orderPlaced = (id: number, petId: number) =>
  ({ id, petId, quantity: 1, complete: false, state: "open", version: 1 }) as const

/** Places an order as the use case does, by storage calls only. */
const placeOrder = (store: Store, petId: number) =>
  Effect.gen(function* () {
    const pet = yield* store.pets.lock(petId)
    if (pet === undefined) return yield* Effect.die(`There is no pet ${petId}`)
    const change = yield* Effect.fromResult(StockRules.reserve(petId, pet.stock, 1))
    const seq = pet.lastMovement + 1
    yield* store.pets.saveStock({ ...pet, stock: change.stock, stockVersion: pet.stockVersion + 1, lastMovement: seq })
    const orderId = yield* store.orders.insert({ order: { state: "open", petId, quantity: 1 }, version: 1 })
    for (const movement of change.movements) {
      yield* store.movements.append({ petId, seq, ...movement, orderId, actor: "owner", at })
    }
    yield* store.events.append({
      id: `evt_${orderId}`,
      type: "order.placed",
      subject: `orders/${orderId}`,
      timestamp: at,
      data: orderPlaced(orderId, petId)
    })
    return orderId
  })

const seed = (store: Store) =>
  store.transact(
    Effect.gen(function* () {
      const categoryId = yield* store.categories.insert(aNewCategoryRecord())
      for (let n = 0; n < pets; n++) {
        yield* store.pets.insert(aPetRecord({ name: `Pet ${n}`, categoryId, stock, lastMovement: 0 }))
      }
    })
  )

/** Orders per second of so many callers that each place one order after the other, on one pet after the other. */
const measureStore = (store: Store, callers: number, orders: number) =>
  Effect.gen(function* () {
    let placed = 0
    const caller: Effect.Effect<void, unknown> = Effect.whileLoop({
      while: () => placed < orders,
      body: () => store.transact(placeOrder(store, (placed++ % pets) + 1)),
      step: () => {}
    })
    const start = performance.now()
    yield* Effect.all(
      Array.from({ length: callers }, () => caller),
      { concurrency: "unbounded", discard: true }
    )
    return (placed * 1000) / (performance.now() - start)
  })

/** The five statements, prepared, on a connection of their own. */
const rawOrders = (file: string) => {
  const database = new DatabaseSync(file)
  for (const setting of ["synchronous = FULL", "foreign_keys = ON"]) database.exec(`PRAGMA ${setting}`)
  const select = database.prepare(
    "SELECT id, on_hand, reserved, held, stock_version, last_movement FROM petstore_pets WHERE id = ? AND NOT deleted"
  )
  const update = database.prepare(
    "UPDATE petstore_pets SET reserved = ?, stock_version = ?, last_movement = ? WHERE id = ?"
  )
  const insert = database.prepare(
    "INSERT INTO petstore_orders (state, pet_id, quantity, ship_date, version) VALUES (?, ?, ?, ?, ?)"
  )
  const append = database.prepare(
    "INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
  )
  const recordEvent = database.prepare(
    "INSERT INTO petstore_events (id, type, subject, timestamp, data) VALUES (?, ?, ?, ?, ?)"
  )
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commit = database.prepare("COMMIT")
  const place = (petId: number): void => {
    const pet = select.get(petId)
    const seq = Number(pet?.last_movement) + 1
    update.run(Number(pet?.reserved) + 1, Number(pet?.stock_version) + 1, seq, petId)
    const orderId = Number(insert.run("open", petId, 1, null, 1).lastInsertRowid)
    append.run(petId, seq, "reserved", 0, 1, orderId, "owner", at)
    recordEvent.run(
      `evt_${orderId}`,
      "order.placed",
      `orders/${orderId}`,
      at,
      JSON.stringify(orderPlaced(orderId, petId))
    )
  }
  return {
    close: () => database.close(),
    measure: (perCommit: number, orders: number): number => {
      const start = performance.now()
      for (let n = 0; n < orders; ) {
        begin.run()
        for (const end = n + perCommit; n < end; n++) place((n % pets) + 1)
        commit.run()
      }
      return (orders * 1000) / (performance.now() - start)
    }
  }
}

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const program = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "petstore-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const open = (name: string) =>
    Effect.map(Layer.build(sqlite(join(directory, name)).layer), (context) => Context.get(context, Storage))

  const store = yield* open("store.db")
  yield* seed(store)
  // Its schema and pets come from the store too, so that both have the same tables and indexes.
  yield* Effect.scoped(Effect.flatMap(open("raw.db"), seed))
  const raw = yield* Effect.acquireRelease(
    Effect.sync(() => rawOrders(join(directory, "raw.db"))),
    ({ close }) => Effect.sync(close)
  )

  const variants: Record<string, Effect.Effect<number, unknown>> = {
    "raw, 64 per commit": Effect.sync(() => raw.measure(64, 6_400)),
    "raw, 1 per commit": Effect.sync(() => raw.measure(1, 640)),
    "store, 64 callers": measureStore(store, 64, 6_400),
    "store, 8 callers": measureStore(store, 8, 2_400),
    "store, 1 caller": measureStore(store, 1, 640)
  }
  const results = new Map(Object.keys(variants).map((name) => [name, [] as number[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, measure] of Object.entries(variants)) {
      const speed = yield* measure
      // The first round warms up.
      if (round > 0) results.get(name)?.push(speed)
    }
  }
  const ratio = (name: string, base: string): number =>
    median((results.get(name) ?? []).map((speed, round) => speed / (results.get(base)?.[round] ?? Number.NaN)))
  for (const [name, speeds] of results) {
    const parts = ["raw, 64 per commit", "raw, 1 per commit"].map((base) => `${ratio(name, base).toFixed(2)} x ${base}`)
    yield* Effect.sync(() =>
      process.stdout.write(
        `${name.padEnd(20)} ${Math.round(median(speeds)).toString().padStart(8)}/s  ${parts.join("  ")}\n`
      )
    )
  }
})

await Effect.runPromise(Effect.scoped(program))
