import * as Effect from "effect/Effect"
import { PetStatus } from "../../domain/Stock.ts"
import type { CategoryRecord } from "../../ports/CategoryRows.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import type { OrderRecord } from "../../ports/OrderRows.ts"
import type { PetRecord } from "../../ports/PetRows.ts"
import type { Storage } from "../../ports/Storage.ts"
import { AnswerChecks } from "./AnswerChecks.ts"
import { Buckets, eachIn, nextOf, type Source } from "./Buckets.ts"
import { CategoryChecks } from "./CategoryChecks.ts"
import { checkAccess } from "./checkAccess.ts"
import { checkImports } from "./checkImports.ts"
import { EventChecks } from "./EventChecks.ts"
import type { Fact } from "./Fact.ts"
import { Facts } from "./Facts.ts"
import { IdChecks } from "./IdChecks.ts"
import { LedgerChecks } from "./LedgerChecks.ts"
import { MessageChecks } from "./MessageChecks.ts"
import { OrderChecks } from "./OrderChecks.ts"
import { OrderLedgerChecks } from "./OrderLedgerChecks.ts"
import { beforeAll, eachPage, eachRow } from "./pages.ts"
import { StockChecks } from "./StockChecks.ts"
import { TimeChecks } from "./TimeChecks.ts"
import type { Limits } from "./VerificationLimits.ts"

type Store = Storage["Service"]

/** Which bucket a message is in. Ids of messages are texts, so that their number says how many buckets there are. */
const bucketOfText = (text: string, buckets: number): number => {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return (hash >>> 0) % buckets
}

/**
 * Checks every rule on a store; run it in a snapshot. What one part of the store says of the rows in another is noted as
 * facts, and rows are held against the facts about them range by range, so that the memory does not grow with the store.
 */
export const checkStore = Effect.fnUntraced(function* (store: Store, limits: Limits) {
  const ids = new IdChecks()
  const times = new TimeChecks()
  const answers = new AnswerChecks()
  const categories = new CategoryChecks()
  const stock = new StockChecks()
  const orders = new OrderChecks()
  const ledger = new LedgerChecks()
  const orderLedger = new OrderLedgerChecks()
  const log = new EventChecks(ids, orders.pets, answers)
  const queue = new MessageChecks()

  const facts = new Facts<Fact>(store.temporaryLists, limits.facts)
  const buckets = new Buckets(limits.ids)
  const messageBuckets = 1 + Math.floor((yield* store.events.latest) / limits.ids)
  const bucketOf = (id: number | string) => (typeof id === "string" ? bucketOfText(id, messageBuckets) : buckets.of(id))
  const note = (table: string, id: number | string, fact: Fact) => facts.add(table, bucketOf(id), fact)

  const petRows: Source<PetRecord> = { fetch: store.pets.scan, idOf: ({ id }) => id }
  const orderRows: Source<OrderRecord> = { fetch: store.orders.scan, idOf: ({ id }) => id }
  const categoryRows: Source<CategoryRecord> = { fetch: store.categories.scan, idOf: ({ category }) => category.id }

  /** Hands the facts of a bucket to the checks that they are for. */
  const takeFacts = (table: string, bucket: number, use: (fact: Fact) => void) =>
    facts.take(table, bucket, (fact) => {
      if (fact.kind === "answer") answers.add(fact.answer, fact.id)
      else if (fact.kind === "event") log.replay(fact.event)
      else use(fact)
    })

  const noteEvent = (event: EventRecord): void => {
    const { data, type } = event
    const fact: Fact = { kind: "event", event }
    switch (type) {
      case "category.created":
      case "category.updated":
      case "category.deleted":
        note("categories", data.id, fact)
        break
      case "pet.created":
      case "pet.updated":
      case "pet.status_changed":
      case "pet.deleted":
        note("pets", data.id, fact)
        break
      case "inventory.updated":
        note("pets", data.petId, fact)
        break
      case "order.cancelled":
        note("orders", data.id, fact)
        break
      case "order.placed":
      case "order.updated":
      case "order.completed": {
        const { id: orderId, petId } = data
        if (petId !== undefined) {
          note("pets", petId, { kind: "orderEvent", event: { seq: event.seq, type, orderId, petId } })
        }
        note("orders", orderId, fact)
      }
    }
  }

  const readAnswers = eachPage(
    store.idempotency.scan,
    { accountId: beforeAll, key: "" },
    ({ accountId, key }) => ({ accountId, key }),
    (records) => {
      for (const { fingerprint: _, ...answer } of records) {
        const { accountId, createdAt, key } = answer
        times.add({ accountId, key }, { createdAt })
        const row = answers.rowOf(answer)
        if (row !== undefined) note(row.table, row.id, { kind: "answer", answer, id: row.id })
      }
      return facts.spill
    }
  )

  const readEvents = eachPage(
    store.events.scan,
    beforeAll,
    ({ seq }) => seq,
    Effect.fnUntraced(function* (page) {
      for (const event of page) {
        const { data, seq, timestamp, type } = event
        times.add({ seq }, { timestamp })
        if (!log.addEvent(event)) continue
        if (type === "message.queued" || type === "message.delivered" || type === "message.failed") {
          const id = String(data.id)
          const row = yield* store.messages.find(id)
          if (row !== undefined) queue.compare(data, row)
          note("messages", id, { kind: "message", side: "event", id, status: data.status })
          if (type === "message.queued") note("messages", id, { kind: "event", event })
        } else noteEvent(event)
      }
      yield* facts.spill
    })
  )

  /** No list begins before the empty text. */
  const readNameless = Effect.map(store.messages.find(""), (message) => {
    if (message !== undefined) ids.row("messages", message.id)
  })

  const readMessages = eachPage(
    store.messages.list,
    "",
    ({ id }) => id,
    (page) => {
      for (const { id, status } of page) {
        ids.row("messages", id)
        note("messages", id, { kind: "message", side: "row", id, status: "queued" })
        if (status !== "queued") note("messages", id, { kind: "message", side: "row", id, status })
      }
      return facts.spill
    }
  )

  const readOrders = eachPage(
    store.orders.scan,
    beforeAll,
    ({ id }) => id,
    (page) => {
      for (const order of page) {
        const { petId, quantity = 0, state } = order.order
        ids.row("orders", order.id)
        orders.addOrder(order)
        if (petId !== undefined) {
          note("pets", petId, { kind: "order", order: { orderId: order.id, petId, quantity, state } })
        }
      }
      return facts.spill
    }
  )

  const checkPets = buckets.each(
    [
      nextOf(petRows),
      (after) =>
        Effect.map(store.movements.scan({ petId: after, seq: Number.POSITIVE_INFINITY }, 1), ([one]) => one?.petId)
    ],
    (above) => facts.next("pets", above),
    Effect.fnUntraced(function* (range) {
      const pets = new Map<number, PetRecord>()
      yield* eachIn(petRows, range, (pet) => {
        ids.row("pets", pet.id)
        pets.set(pet.id, pet)
      })
      for (const status of PetStatus.literals) {
        const listed: Source<PetRecord> = {
          fetch: (after, limit) => store.pets.list({ status, after, limit }),
          idOf: ({ id }) => id
        }
        yield* eachIn(listed, range, ({ id }) => stock.addListed(id, status))
      }
      yield* eachRow(
        store.movements.scan,
        { petId: range.after, seq: Number.POSITIVE_INFINITY },
        ({ petId, seq }) => ({ petId, seq }),
        ({ petId }) => petId <= range.last,
        (movement) => {
          const { at, orderId, petId, seq } = movement
          times.add({ petId, seq }, { at })
          ledger.addMovement(movement, pets.get(petId))
          if (orderId !== undefined) note("orders", orderId, { kind: "movement", movement })
        }
      )
      yield* takeFacts("pets", range.bucket, (fact) => {
        if (fact.kind === "order") orders.addOrderOf(fact.order, pets.get(fact.order.petId))
        if (fact.kind === "orderEvent") log.expectPet(fact.event)
      })
      for (const pet of pets.values()) {
        const { categoryId, deleted, id } = pet
        stock.addPet(pet)
        orders.addPet(pet)
        ledger.addPet(pet, log.traceOf(id))
        log.addPet(pet)
        note("categories", categoryId, { kind: "pet", id, deleted, categoryId })
      }
      for (const checks of [stock, orders, ledger, log, answers]) checks.finish()
      yield* facts.spill
    })
  )

  const checkOrders = buckets.each(
    [nextOf(orderRows)],
    (above) => facts.next("orders", above),
    Effect.fnUntraced(function* (range) {
      const rows = new Map<number, OrderRecord>()
      yield* eachIn(orderRows, range, (order) => rows.set(order.id, order))
      orderLedger.begin(rows)
      yield* takeFacts("orders", range.bucket, (fact) => {
        if (fact.kind !== "movement") return
        ledger.addMovementOf(fact.movement, rows.get(fact.movement.orderId ?? 0))
        orderLedger.addMovement(fact.movement)
      })
      for (const order of rows.values()) {
        orderLedger.addOrder(order)
        log.addOrder(order)
      }
      for (const checks of [log, answers]) checks.finish()
    })
  )

  const checkCategories = buckets.each(
    [nextOf(categoryRows)],
    (above) => facts.next("categories", above),
    Effect.fnUntraced(function* (range) {
      const rows = new Map<number, CategoryRecord>()
      yield* eachIn(categoryRows, range, (row) => {
        ids.row("categories", row.category.id)
        rows.set(row.category.id, row)
      })
      yield* takeFacts("categories", range.bucket, (fact) => {
        if (fact.kind === "pet") categories.addPet(fact.id, fact.deleted, fact.categoryId, rows.get(fact.categoryId))
      })
      for (const row of rows.values()) {
        categories.addCategory(row, row.deleted ? undefined : yield* store.categories.findByName(row.nameKey))
        log.addCategory(row)
      }
      for (const checks of [log, answers]) checks.finish()
    })
  )

  const checkMessages = buckets.each(
    [],
    (above) => facts.next("messages", above),
    Effect.fnUntraced(function* ({ bucket }) {
      yield* takeFacts("messages", bucket, (fact) => {
        if (fact.kind === "message") queue.add(fact.side, fact.id, fact.status)
      })
      for (const checks of [queue, answers]) checks.finish()
    })
  )

  yield* readAnswers
  yield* readEvents
  yield* readNameless
  yield* readMessages
  yield* readOrders
  yield* checkPets
  yield* checkOrders
  yield* checkCategories
  yield* checkMessages
  const access = yield* checkAccess(store, { answers, buckets, facts, ids, times })
  const imports = yield* checkImports(store, times)
  return [
    ids.ids,
    times.valid,
    categories.names,
    stock.bounds,
    stock.listed,
    stock.empty,
    categories.pets,
    ...orders.all,
    ...ledger.all,
    ...orderLedger.all,
    ...log.all,
    queue.told,
    answers.kept,
    ...access,
    ...imports
  ].map((check) => check.result)
})
