import { Effect } from "effect"
import type { Message } from "../../domain/Message.ts"
import { PetStatus } from "../../domain/Stock.ts"
import type { Storage } from "../../ports/Storage.ts"
import { CategoryChecks } from "./CategoryChecks.ts"
import type { Check } from "./Check.ts"
import { checkAccess } from "./checkAccess.ts"
import { checkAnswers } from "./checkAnswers.ts"
import { EventChecks } from "./EventChecks.ts"
import { IdChecks } from "./IdChecks.ts"
import { LedgerChecks } from "./LedgerChecks.ts"
import { MessageChecks } from "./MessageChecks.ts"
import { OrderChecks } from "./OrderChecks.ts"
import { OrderLedgerChecks } from "./OrderLedgerChecks.ts"
import { eachPage, eachRow, pager } from "./pages.ts"
import { type Rows, readRows } from "./readRows.ts"
import { StockChecks } from "./StockChecks.ts"

type Store = Storage["Service"]

const checkRows = Effect.fnUntraced(function* ({ pets }: Store, rows: Rows) {
  const categories = new CategoryChecks()
  const stock = new StockChecks()
  const orders = new OrderChecks()
  for (const status of PetStatus.literals) {
    yield* eachRow(
      (after, limit) => pets.list({ status, after, limit }),
      0,
      ({ id }) => id,
      ({ id }) => stock.list(id, status)
    )
  }
  for (const category of rows.categories.values()) categories.add(category)
  for (const pet of rows.pets.values()) stock.add(pet, rows.categories)
  for (const order of rows.orders.values()) orders.add(order, rows.pets)
  stock.finish()
  orders.finish(rows.pets)
  return { categories, stock, orders }
})

const checkLedger = Effect.fnUntraced(function* ({ movements }: Store, rows: Rows) {
  const ledger = new LedgerChecks()
  const orders = new OrderLedgerChecks(rows.orders)
  yield* eachRow(
    movements.scan,
    { petId: 0, seq: 0 },
    ({ petId, seq }) => ({ petId, seq }),
    (movement) => {
      ledger.add(movement, rows)
      orders.add(movement)
    }
  )
  ledger.finish(rows.pets)
  orders.finish()
  return { ledger, orders }
})

const checkEvents = Effect.fnUntraced(function* (
  { events, messages }: Store,
  rows: Rows,
  ids: IdChecks,
  orderPets: Check
) {
  const log = new EventChecks(ids, orderPets)
  const queue = new MessageChecks()
  const nextMessages = pager(messages.list, "", ({ id }: Message) => id)
  const readMessages = Effect.map(nextMessages, (page) => {
    for (const message of page) {
      ids.row("messages", message.id)
      queue.addRow(message)
    }
    return page.length > 0
  })
  yield* eachPage(
    events.scan,
    0,
    ({ seq }) => seq,
    Effect.fnUntraced(function* (page) {
      for (const event of page) {
        log.add(event)
        queue.addEvent(event)
      }
      while (queue.isBehind && (yield* readMessages)) {}
    })
  )
  while (yield* readMessages) {}
  for (const category of rows.categories.values()) log.addCategory(category)
  for (const pet of rows.pets.values()) log.addPet(pet)
  for (const order of rows.orders.values()) log.addOrder(order)
  log.finish()
  queue.finish()
  return { log, queue }
})

/** Checks every rule on the rows of a store; run it in a snapshot. Keeps pets, orders and categories in memory, no more. */
export const checkStore = Effect.fnUntraced(function* (storage: Store) {
  const ids = new IdChecks()
  const rows = yield* readRows(storage, ids)
  const { categories, orders, stock } = yield* checkRows(storage, rows)
  const { ledger, orders: orderLedger } = yield* checkLedger(storage, rows)
  const { log, queue } = yield* checkEvents(storage, rows, ids, orders.pets)
  const answers = yield* checkAnswers(storage, rows)
  const access = yield* checkAccess(storage, ids)
  return [
    ids.ids,
    categories.names,
    ...stock.all,
    ...orders.all,
    ...ledger.all,
    ...orderLedger.all,
    ...log.all,
    queue.told,
    ...answers,
    ...access
  ].map((check) => check.result)
})
