import { Effect } from "effect"
import type { Message } from "../../domain/Message.ts"
import { PetStatus } from "../../domain/Stock.ts"
import type { Storage } from "../../ports/Storage.ts"
import { CategoryChecks } from "./CategoryChecks.ts"
import { checkAccess } from "./checkAccess.ts"
import { checkAnswers } from "./checkAnswers.ts"
import { checkImports } from "./checkImports.ts"
import { EventChecks } from "./EventChecks.ts"
import { IdChecks } from "./IdChecks.ts"
import { LedgerChecks } from "./LedgerChecks.ts"
import { MessageChecks } from "./MessageChecks.ts"
import { OrderChecks } from "./OrderChecks.ts"
import { OrderLedgerChecks } from "./OrderLedgerChecks.ts"
import { eachKept, eachPage, eachRow, pager } from "./pages.ts"
import { readRows } from "./readRows.ts"
import { StockChecks } from "./StockChecks.ts"
import { TimeChecks } from "./TimeChecks.ts"

type Store = Storage["Service"]

const listPets = Effect.fnUntraced(function* ({ pets }: Store, stock: StockChecks) {
  for (const status of PetStatus.literals) {
    yield* eachRow(
      (after, limit) => pets.list({ status, after, limit }),
      0,
      ({ id }) => id,
      ({ id }) => stock.addListed(id, status)
    )
  }
})

/** Reads the event log and, as far as it tells of them, the messages. */
const readLog = Effect.fnUntraced(function* (
  { events, messages }: Store,
  log: EventChecks,
  queue: MessageChecks,
  ids: IdChecks,
  times: TimeChecks
) {
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
        log.addEvent(event)
        times.add({ seq: event.seq }, { timestamp: event.timestamp })
        queue.addEvent(event)
      }
      while (queue.isBehind && (yield* readMessages)) {}
    })
  )
  while (yield* readMessages) {}
  queue.finish()
})

/** Checks every rule on a store; run it in a snapshot. Of what it reads it keeps categories, pets and orders, no more. */
export const checkStore = Effect.fnUntraced(function* (store: Store) {
  const ids = new IdChecks()
  const times = new TimeChecks()
  const rows = yield* readRows(store, ids)
  const categories = new CategoryChecks()
  const stock = new StockChecks()
  const orders = new OrderChecks()
  const ledger = new LedgerChecks()
  const orderLedger = new OrderLedgerChecks(rows.orders)
  const log = new EventChecks(ids, orders.pets)
  const queue = new MessageChecks()

  yield* listPets(store, stock)
  yield* eachRow(
    store.movements.scan,
    { petId: 0, seq: 0 },
    ({ petId, seq }) => ({ petId, seq }),
    (movement) => {
      ledger.addMovement(movement, rows)
      orderLedger.addMovement(movement)
      times.add({ petId: movement.petId, seq: movement.seq }, { at: movement.at })
    }
  )
  yield* readLog(store, log, queue, ids, times)

  yield* eachKept(rows.categories.values(), (category) => {
    categories.addCategory(category)
    log.addCategory(category)
  })
  yield* eachKept(rows.orders.values(), (order) => {
    orders.addOrder(order, rows.pets)
    orderLedger.addOrder(order)
    log.addOrder(order)
  })
  yield* eachKept(rows.pets.values(), (pet) => {
    stock.addPet(pet, rows.categories)
    orders.addPet(pet)
    ledger.addPet(pet)
    log.addPet(pet)
  })
  stock.finish()
  log.finish()

  const answers = yield* checkAnswers(store, rows)
  const access = yield* checkAccess(store, ids, times)
  const imports = yield* checkImports(store, times)
  return [
    ids.ids,
    times.valid,
    categories.names,
    ...stock.all,
    ...orders.all,
    ...ledger.all,
    ...orderLedger.all,
    ...log.all,
    queue.told,
    ...answers,
    ...access,
    ...imports
  ].map((check) => check.result)
})
