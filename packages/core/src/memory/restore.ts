import * as Effect from "effect/Effect"
import type { SynchronousConnection } from "../adapter-toolkit/SynchronousConnection.ts"
import type { Restore, TableName } from "../ports/Restore.ts"
import type { MemoryDatabase } from "./MemoryDatabase.ts"
import { deliveryKey } from "./tables.ts"

/** Fills a store in memory. The next ids follow from the rows. Records come from a store that has checked their constraints. */
export const restore = (store: SynchronousConnection, database: MemoryDatabase): Restore => {
  const { tables } = database

  const adding =
    <Row>(add: (row: Row) => void) =>
    (records: ReadonlyArray<Row>) =>
      store.write(() => records.forEach(add))

  const counts = (): { readonly [Table in TableName]: number } => ({
    accounts: tables.accounts.size,
    apiKeys: tables.apiKeys.size,
    categories: tables.categories.size,
    pets: tables.pets.size,
    orders: tables.orders.size,
    movements: tables.movements.size,
    checkpoints: tables.checkpoints.size,
    events: tables.events.size,
    messages: tables.messages.size,
    idempotency: tables.idempotency.size,
    imports: tables.imports.size,
    consumers: tables.consumers.size,
    parkedEvents: tables.parkedEvents.size,
    webhooks: tables.webhooks.size,
    deliveries: tables.deliveries.size
  })

  const setNote = (note: string | undefined) =>
    store.write(() => {
      database.note = note
    })

  return {
    counts: store.read(counts),
    note: store.read(() => database.note),
    lockNote: store.lock(() => database.note),
    saveNote: setNote,
    add: {
      accounts: adding((row) => tables.accounts.add(row)),
      apiKeys: adding((row) => tables.apiKeys.add(row)),
      categories: adding((row) => tables.categories.add(row)),
      pets: adding((row) => tables.pets.add(row)),
      orders: adding((row) => tables.orders.add(row)),
      movements: adding((row) => tables.movements.append(row.petId, row)),
      checkpoints: adding((row) => tables.checkpoints.add(row)),
      events: adding((row) => {
        // The first event of a log whose beginning was removed has another number than 1.
        if (tables.events.size === 0) tables.events.begin(row.seq - 1)
        tables.events.append(row, row.seq)
      }),
      messages: adding((row) => tables.messages.add(row)),
      idempotency: adding((row) => tables.idempotency.add(row)),
      imports: adding((row) => tables.imports.add(row)),
      consumers: adding((row) => tables.consumers.add(row)),
      parkedEvents: adding((row) => tables.parkedEvents.add(row)),
      webhooks: adding((row) => tables.webhooks.add(row)),
      deliveries: adding((row) => {
        tables.deliveries.add(row)
        tables.deliveryIds.add({ key: deliveryKey(row.delivery), id: row.delivery.id })
      })
    },
    finish: Effect.asVoid(setNote(undefined))
  }
}
