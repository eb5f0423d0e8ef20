import { join } from "node:path"
import type { Petstore } from "@petstore/core"
import { openDatabase, prepare } from "../peers/Database.ts"
import type { Caller } from "../peers/Guard.ts"
import { openShop } from "../peers/Shop.ts"
import type { Packages } from "./packages.ts"

/** Makes calls until a time of `performance.now()`, and returns how many. */
type Round = (end: number) => Promise<number>

const pets = 1_000
const idOf = (call: number): number => 1 + ((call * 7) % pets)

/** How many calls are made between two looks at the clock. */
const batch = 64

/** A petstore with pets that never sell out. */
const furnish = async (petstore: Petstore): Promise<Petstore> => {
  const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
  for (let first = 1; first <= pets; first += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const { id } = await petstore.pets.create({ name: `Cat ${first + index}`, categoryId })
        await petstore.inventory.set(id, 1_000_000)
      })
    )
  }
  return petstore
}

const onMemory = ({ core }: Packages): Promise<Petstore> => core.createPetstore().then(furnish)

const onFile = (folder: string, { core, sqlite }: Packages): Promise<Petstore> =>
  core
    .createPetstore({ storage: sqlite.sqlite(join(folder, `${Math.random().toString(36).slice(2)}.db`)) })
    .then(furnish)

/** A file with the schema and the pets of a petstore, for what is written by hand. */
const rawFile = async (folder: string, { core, sqlite }: Packages) => {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.db`)
  await using petstore = await core.createPetstore({ storage: sqlite.sqlite(file) })
  await furnish(petstore)
  return openDatabase("node:sqlite", file)
}

const gettingByPromise =
  (petstore: Petstore): Round =>
  async (end) => {
    let calls = 0
    while (performance.now() < end) for (let i = 0; i < batch; i++) await petstore.pets.get(idOf(calls++))
    return calls
  }

const gettingByEffect = (petstore: Petstore, { coreEffect, effect }: Packages): Round => {
  const runtime = coreEffect.runtimeOf(petstore)
  return (end) => {
    let calls = 0
    return runtime.runPromise(
      effect.flatMap(coreEffect.Petstore, (own) =>
        effect.map(
          effect.whileLoop({
            while: () => calls % batch !== 0 || performance.now() < end,
            body: () => own.pets.get(idOf(calls++)),
            step: () => {}
          }),
          () => calls
        )
      )
    )
  }
}

/** So many callers, each of which places one order after the other. */
const placing =
  (petstore: Petstore, callers: number): Round =>
  async (end) => {
    let calls = 0
    const caller = async (): Promise<void> => {
      while (performance.now() < end) await petstore.orders.place({ petId: idOf(calls++) })
    }
    await Promise.all(Array.from({ length: callers }, caller))
    return calls
  }

const loop =
  (call: (id: number) => unknown): Round =>
  async (end) => {
    let calls = 0
    while (performance.now() < end) for (let i = 0; i < batch; i++) call(idOf(calls++))
    return calls
  }

const app: Caller = { actor: "owner", owner: null }

type MakeRound = (folder: string, packages: Packages) => Promise<Round>

/** The statements of an order, without anything around them. */
const rawPlacing =
  (perCommit: number): MakeRound =>
  async (folder, packages) => {
    const database = await rawFile(folder, packages)
    const shop = openShop(database)
    const begin = prepare(database, "BEGIN IMMEDIATE")
    const commit = prepare(database, "COMMIT")
    return async (end) => {
      let calls = 0
      while (performance.now() < end) {
        begin.run()
        for (let i = 0; i < perCommit; i++) shop.place({ petId: idOf(calls++), quantity: 1 }, app)
        commit.run()
        // As in a server, where the next calls arrive in another turn.
        await new Promise((resolve) => setImmediate(resolve))
      }
      return calls
    }
  }

const contenders: Readonly<Record<string, MakeRound>> = {
  "get, memory, Effect": async (_, packages) => gettingByEffect(await onMemory(packages), packages),
  "get, memory, promise": async (_, packages) => gettingByPromise(await onMemory(packages)),
  "get, SQLite, Effect": async (folder, packages) => gettingByEffect(await onFile(folder, packages), packages),
  "get, SQLite, promise": async (folder, packages) => gettingByPromise(await onFile(folder, packages)),
  "place, memory": async (_, packages) => placing(await onMemory(packages), 64),
  "place, SQLite, 64": async (folder, packages) => placing(await onFile(folder, packages), 64),
  "place, SQLite, 1": async (folder, packages) => placing(await onFile(folder, packages), 1),
  "a Map with a copy": async () => {
    const map = new Map(
      Array.from({ length: pets }, (_, index) => [
        index + 1,
        { id: index + 1, name: `Cat ${index + 1}`, categoryId: 1, status: "available", version: 1 }
      ])
    )
    return loop((id) => ({ ...map.get(id) }))
  },
  // Each order copies its pet and appends a movement and two events, as a store must that can undo them.
  "Maps by hand": async () => {
    const stock = new Map(
      Array.from({ length: pets }, (_, index) => [index + 1, { onHand: 1_000_000, reserved: 0, version: 1 }])
    )
    const orders = new Map<number, object>()
    const movements: Array<object> = []
    const events: Array<object> = []
    return loop((petId) => {
      const before = stock.get(petId)
      if (before === undefined || before.reserved >= before.onHand) throw new Error("It is sold out")
      const after = { ...before, reserved: before.reserved + 1, version: before.version + 1 }
      stock.set(petId, after)
      const id = orders.size + 1
      const order = { id, petId, quantity: 1, complete: false }
      orders.set(id, order)
      const at = new Date().toISOString()
      movements.push({ petId, kind: "reserved", deltaReserved: 1, orderId: id, at })
      events.push({ type: "order.placed", subject: `orders/${id}`, at, data: { ...order } })
      events.push({ type: "inventory.updated", subject: `inventory/${petId}`, at, data: { ...after } })
    })
  },
  "a prepared statement": async (folder, packages) => {
    const shop = openShop(await rawFile(folder, packages))
    return loop((id) => shop.pet(id))
  },
  "64 per commit by hand": rawPlacing(64),
  "1 per commit by hand": rawPlacing(1)
}

/** Prepares a contender. */
export const contenderAt = async (name: string, folder: string, packages: Packages): Promise<Round> => {
  const make = contenders[name]
  if (make === undefined) throw new TypeError(`There is no contender ${name}; they are ${Object.keys(contenders)}`)
  return make(folder, packages)
}
