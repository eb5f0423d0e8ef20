import type { InventoryAdjustment, NewCategory, NewOrder, NewPet } from "@petstore/core"
import type { PetstoreError } from "@petstore/core/domain"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import { type Acknowledgement, type Command, type ProofLog, shipDateOf } from "./ProofLog.ts"

type Answered<A> = Effect.Effect<A, PetstoreError>

/** What clients call: a petstore, or a client of one. */
export interface Shop {
  readonly categories: {
    readonly create: (category: NewCategory, options: Keyed) => Answered<{ readonly id: number }>
  }
  readonly pets: { readonly create: (pet: NewPet, options: Keyed) => Answered<{ readonly id: number }> }
  readonly orders: {
    readonly place: (order: NewOrder, options: Keyed) => Answered<{ readonly id: number }>
    readonly complete: (orderId: number, options: Keyed) => Answered<unknown>
    readonly cancel: (orderId: number, options: Keyed) => Answered<unknown>
  }
  readonly inventory: {
    readonly set: (petId: number, quantity: number, options: Keyed) => Answered<unknown>
    readonly adjust: (
      petId: number,
      adjustment: InventoryAdjustment,
      options: Keyed
    ) => Answered<{ readonly version: number }>
  }
}

interface Keyed {
  readonly idempotencyKey: string
}

/** How many calls of each client are repeated at the end, on the server after the one that was asked first. */
const repeatedCalls = 10

/** The units of each pet at the start. The first one is soon sold out, and sold again as units are received. */
const startUnits = [20, 1_000_000, 1_000_000, 1_000_000, 1_000_000]

interface Load {
  readonly proof: string
  readonly log: Pick<ProofLog, "add">
  /** Petstores on one database, as of several servers: a call is repeated on the next one. */
  readonly shops: readonly [Shop, ...ReadonlyArray<Shop>]
  readonly clients: number
  readonly seconds: number
  /** Milliseconds that a client waits behind each call. */
  readonly pause: number
  /** Ends the load early. */
  readonly stop: Effect.Effect<unknown>
  /** Seconds that calls without a result are repeated after the load. */
  readonly wait: number
  readonly onProgress: (counts: LoadCounts) => void
}

interface LoadCounts {
  readonly acknowledged: number
  readonly failed: number
}

/** Whether the same call with the same key may succeed later. No client of a petstore reached it with 502 and 504. */
export const isTransient = (error: PetstoreError): boolean =>
  [502, 503, 504].includes(error.status) || error.code === "idempotency_in_progress"

const execute = (
  shop: Shop,
  proof: string,
  call: number,
  command: Command
): Effect.Effect<Acknowledgement, PetstoreError> => {
  const options = { idempotencyKey: `${proof}-${call}` }
  switch (command.type) {
    case "place": {
      const { petId, quantity } = command
      const order = { petId, quantity, shipDate: shipDateOf(call) }
      return Effect.map(shop.orders.place(order, options), ({ id }) => ({ orderId: id }))
    }
    case "complete":
      return Effect.as(shop.orders.complete(command.orderId, options), {})
    case "cancel":
      return Effect.as(shop.orders.cancel(command.orderId, options), {})
    case "receive": {
      const adjustment = { delta: command.units, reason: "received", note: String(call) } as const
      return Effect.map(shop.inventory.adjust(command.petId, adjustment, options), ({ version }) => ({ version }))
    }
  }
}

/** Creates the pets that clients order. */
const stockUp = (shop: Shop, proof: string) =>
  Effect.gen(function* () {
    const key = (name: string) => ({ idempotencyKey: `${proof}-${name}` })
    const category = yield* shop.categories.create({ name: "Proof" }, key("category"))
    return yield* Effect.forEach(startUnits, (units, index) =>
      Effect.gen(function* () {
        const pet = { name: `Pet ${index + 1}`, categoryId: category.id }
        const { id } = yield* shop.pets.create(pet, key(`pet-${index}`))
        yield* shop.inventory.set(id, units, key(`units-${index}`))
        return { petId: id, units }
      })
    )
  })

/** Waits for the end of clients, and interrupts them after this number of seconds. */
const endIn = Effect.fnUntraced(function* (seconds: number, clients: Fiber.Fiber<unknown>) {
  const ended = yield* Effect.timeoutOption(Fiber.join(clients), seconds * 1000)
  if (Option.isNone(ended)) yield* Fiber.interrupt(clients)
})

/**
 * Lets clients place, complete and cancel orders and receive stock, one call after the other, each with a key that it keeps until there
 * is a result. At the end each repeats some calls that were acknowledged, as if it had missed the responses. Every call is in the log
 * before it is made, and every result before the next call of the client.
 */
export const runLoad = ({ clients, log, onProgress, pause, proof, seconds, shops, stop, wait }: Load) =>
  Effect.gen(function* () {
    const [first] = shops
    const stocks = yield* Effect.retry(stockUp(first, proof), {
      while: isTransient,
      schedule: Schedule.spaced("1 second"),
      times: wait
    })
    for (const stock of stocks) log.add({ type: "pet", ...stock })
    const pets = stocks.map(({ petId }) => petId)
    let isOver = false
    let calls = 0
    let acknowledged = 0
    let failed = 0

    const settle = (call: number, command: Command, repetitions = 0): Effect.Effect<Acknowledgement | undefined> =>
      Effect.gen(function* () {
        for (let repetition = repetitions; ; repetition++) {
          const shop = shops[(call + repetition) % shops.length] ?? first
          const result = yield* Effect.result(execute(shop, proof, call, command))
          const at = yield* Clock.currentTimeMillis
          if (Result.isSuccess(result)) {
            log.add({ type: "acknowledged", call, at, value: result.success })
            acknowledged++
            onProgress({ acknowledged, failed })
            return result.success
          }
          const { code } = result.failure
          if (!isTransient(result.failure)) {
            log.add({ type: "rejected", call, at, code })
            return undefined
          }
          log.add({ type: "failed", call, at, code })
          failed++
          onProgress({ acknowledged, failed })
          yield* Effect.sleep(yield* Random.nextIntBetween(50, 250))
        }
      })

    const call = (command: Command) =>
      Effect.gen(function* () {
        const number = ++calls
        log.add({ type: "call", call: number, at: yield* Clock.currentTimeMillis, command })
        const value = yield* settle(number, command)
        yield* Effect.sleep(pause)
        return { number, command, value }
      })

    const client = Effect.gen(function* () {
      const done: Array<readonly [number, Command]> = []
      while (!isOver) {
        const petId = pets[yield* Random.nextIntBetween(0, pets.length, { halfOpen: true })] ?? 1
        const quantity = yield* Random.nextIntBetween(1, 3)
        const chance = yield* Random.next
        if (chance < 0.1) {
          yield* call({ type: "receive", petId, units: quantity })
          continue
        }
        const { command, number, value } = yield* call({ type: "place", petId, quantity })
        if (value?.orderId === undefined) continue
        done.push([number, command])
        if (done.length > repeatedCalls) done.shift()
        if (chance < 0.4) yield* call({ type: "complete", orderId: value.orderId })
        else if (chance < 0.5) yield* call({ type: "cancel", orderId: value.orderId })
      }
      yield* Effect.forEach(done, ([number, command]) => settle(number, command, 1))
    })

    const all = Array.from({ length: clients }, () => client)
    const load = yield* Effect.forkChild(Effect.all(all, { concurrency: "unbounded" }))
    yield* Effect.raceFirst(Effect.raceFirst(Effect.sleep(seconds * 1000), stop), Fiber.join(load))
    isOver = true
    yield* endIn(wait, load)
  })
