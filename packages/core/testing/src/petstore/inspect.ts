import type { PetstoreApi } from "@petstore/core"
import { assertEqual } from "../check.ts"

/** The status, stock and versions of a pet. */
export const petAndStock = async (petstore: PetstoreApi, petId: number) => {
  const { inventory, status, version } = await petstore.pets.getWithInventory(petId)
  const { quantity, reserved, available } = inventory
  assertEqual(inventory.status, status, "the status of the inventory item")
  return { status, quantity, reserved, available, petVersion: version, stockVersion: inventory.version }
}

/** The same without versions. */
export const stockOf = async (petstore: PetstoreApi, petId: number) => {
  const { petVersion: _pet, stockVersion: _stock, ...stock } = await petAndStock(petstore, petId)
  return stock
}

/** All items of a list. */
export const collect = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const item of items) all.push(item)
  return all
}

/** The ids of items. */
export const idsOf = <Id extends number | string>(items: ReadonlyArray<{ readonly id: Id }>): ReadonlyArray<Id> =>
  items.map(({ id }) => id)

/** The ids of all items of a list. */
export const allIds = async <Id extends number | string>(items: AsyncIterable<{ readonly id: Id }>) =>
  idsOf(await collect(items))

/** The types of events. */
export const typesOf = <Type>(events: ReadonlyArray<{ readonly type: Type }>): ReadonlyArray<Type> =>
  events.map(({ type }) => type)

/** The numbers of events. */
export const seqsOf = (events: ReadonlyArray<{ readonly seq: number }>): ReadonlyArray<number> =>
  events.map(({ seq }) => seq)

/** The ledger of a pet: kind, units on hand, units reserved and the order, if there is one. */
export const ledger = async (petstore: PetstoreApi, petId: number) => {
  const movements = await collect(petstore.inventory.allMovements(petId, { limit: 100 }))
  return movements.map(({ kind, deltaOnHand, deltaReserved, orderId }) =>
    orderId === undefined ? [kind, deltaOnHand, deltaReserved] : [kind, deltaOnHand, deltaReserved, orderId]
  )
}

/** The movements of the ledger that a command writes. */
export const movementsOf = async (petstore: PetstoreApi, petId: number, command: () => Promise<unknown>) => {
  const before = await ledger(petstore, petId)
  await command()
  return (await ledger(petstore, petId)).slice(before.length)
}

/** Checks that neither the pets nor their stock, versions and ledger change. */
export const assertUnchanged = async (
  petstore: PetstoreApi,
  petIds: ReadonlyArray<number>,
  call: () => Promise<unknown>
): Promise<void> => {
  const state = () =>
    Promise.all(
      petIds.map(async (id) => [
        await petstore.pets.get(id),
        await petAndStock(petstore, id),
        await ledger(petstore, id)
      ])
    )
  const before = await state()
  await call()
  assertEqual(await state(), before, "the state after the attempt")
}

/** Checks that the ledger of a pet adds up to its stock, and never was below zero or oversold on the way. */
export const assertBalanced = async (petstore: PetstoreApi, petId: number): Promise<void> => {
  let onHand = 0
  let reserved = 0
  for (const movement of await collect(petstore.inventory.allMovements(petId, { limit: 100 }))) {
    onHand += movement.deltaOnHand
    reserved += movement.deltaReserved
    assertEqual(
      reserved >= 0 && reserved <= onHand,
      true,
      `0 <= ${reserved} <= ${onHand} after movement ${movement.seq}`
    )
  }
  const stock = await petstore.inventory.get(petId)
  assertEqual([onHand, reserved], [stock.quantity, stock.reserved], "the sums of the ledger")
}
