import type { OpenTransactions } from "@petstore/core/adapter-toolkit"
import { type Rows, type StorageError, type Transaction, withImmediateRows } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { PostgresTransaction } from "../../statements/Statement.ts"
import { GroupBody } from "./GroupBody.ts"
import { keyOf } from "./GroupTables.ts"

/** Makes a call of a body in a group by the first function, and any other call by the second. */
type InGroup = <A, E, R extends Transaction = never>(
  grouped: (body: GroupBody) => Effect.Effect<A, E>,
  alone: () => Effect.Effect<A, E | StorageError, R>
) => Effect.Effect<A, E | StorageError, R>

/**
 * The rows of a store, where bodies in groups work on the rows that their group holds. They cover what frequent commands
 * need: rows by their ids, and additions. Everything else makes a body leave its group.
 */
export const groupedRows = (rows: Rows, transactions: OpenTransactions<PostgresTransaction>): Rows => {
  const inGroup: InGroup = (grouped, alone) =>
    Effect.withFiber(({ context }): ReturnType<typeof alone> => {
      const transaction = transactions.find(context)
      return transaction instanceof GroupBody ? grouped(transaction) : alone()
    })
  // What the group holds already, the body that runs now gets at once.
  const atOnce: InGroup = (grouped, alone) => {
    const { current } = transactions
    return current instanceof GroupBody ? grouped(current) : inGroup(grouped, alone)
  }
  return withImmediateRows(
    { ...rows, ...frequentRows(rows, inGroup), ...rareRows(rows, inGroup) },
    frequentRows(rows, atOnce)
  )
}

const frequentRows = (
  rows: Rows,
  inGroup: InGroup
): Pick<Rows, "pets" | "categories" | "orders" | "movements" | "events"> => {
  // A group has whole rows: a pet as it is shown would make a body leave.
  const { findShown: _, ...pets } = rows.pets

  return {
    pets: {
      ...pets,
      find: (id) =>
        inGroup(
          (body) => body.find(body.tables.pets, id),
          () => rows.pets.find(id)
        ),
      lock: (id) =>
        inGroup(
          (body) => body.lock(body.tables.pets, id),
          () => rows.pets.lock(id)
        ),
      insert: (pet) =>
        inGroup(
          (body) => body.insert(body.tables.pets, body.tables.petIds, (id) => ({ ...pet, id })),
          () => rows.pets.insert(pet)
        ),
      insertAll: (pets) =>
        inGroup(
          (body) =>
            Effect.forEach(pets, (pet) => body.insert(body.tables.pets, body.tables.petIds, (id) => ({ ...pet, id }))),
          () => rows.pets.insertAll(pets)
        ),
      save: (pet) =>
        inGroup(
          (body) => body.save(body.tables.pets, pet.id, () => pet),
          () => rows.pets.save(pet)
        ),
      saveStock: (pet) =>
        inGroup(
          (body) =>
            body.save(body.tables.pets, pet.id, (before) => ({
              ...before,
              stock: pet.stock,
              stockVersion: pet.stockVersion,
              lastMovement: pet.lastMovement
            })),
          () => rows.pets.saveStock(pet)
        )
    },
    categories: {
      ...rows.categories,
      lockShared: (id) =>
        inGroup(
          (body) => body.share(body.tables.categories, id),
          () => rows.categories.lockShared(id)
        )
    },
    orders: {
      ...rows.orders,
      find: (id) =>
        inGroup(
          (body) => body.find(body.tables.orders, id),
          () => rows.orders.find(id)
        ),
      lock: (id) =>
        inGroup(
          (body) => body.lock(body.tables.orders, id),
          () => rows.orders.lock(id)
        ),
      insert: (order) =>
        inGroup(
          (body) => body.insert(body.tables.orders, body.tables.orderIds, (id) => ({ ...order, id })),
          () => rows.orders.insert(order)
        ),
      save: (order) =>
        inGroup(
          (body) => body.save(body.tables.orders, order.id, () => order),
          () => rows.orders.save(order)
        )
    },
    movements: {
      ...rows.movements,
      append: (movement) =>
        inGroup(
          (body) => body.addTo("movements", movement),
          () => rows.movements.append(movement)
        ),
      appendAll: (movements) =>
        inGroup(
          (body) => Effect.forEach(movements, (movement) => body.addTo("movements", movement), { discard: true }),
          () => rows.movements.appendAll(movements)
        )
    },
    events: {
      ...rows.events,
      append: (event) =>
        inGroup(
          (body) => body.append(event),
          () => rows.events.append(event)
        )
    }
  }
}

const rareRows = (rows: Rows, inGroup: InGroup): Pick<Rows, "messages" | "idempotency"> => ({
  messages: {
    ...rows.messages,
    insert: (message) =>
      inGroup(
        (body) => body.addTo("messages", message),
        () => rows.messages.insert(message)
      )
  },
  idempotency: {
    ...rows.idempotency,
    lock: (accountId, key) =>
      inGroup(
        (body) => body.lockNew(keyOf(accountId, key)),
        () => rows.idempotency.lock(accountId, key)
      ),
    save: (record) =>
      inGroup(
        (body) => body.put(body.tables.keys, keyOf(record.accountId, record.key), record),
        () => rows.idempotency.save(record)
      ),
    purge: (createdAt, limit) =>
      inGroup(
        (body) => body.addTo("purges", { createdAt, limit }),
        () => rows.idempotency.purge(createdAt, limit)
      )
  }
})
