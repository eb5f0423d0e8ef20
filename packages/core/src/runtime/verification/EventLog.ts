import { sameCategory } from "../../domain/categories/Category.ts"
import type { EventData } from "../../domain/events/Event.ts"
import type { MessageRecord } from "../../domain/messages/MessageState.ts"
import { orderStates } from "../../domain/orders/OrderState.ts"
import { samePet } from "../../domain/pets/Pet.ts"
import {
  type CountedRecord,
  emptyRecord,
  type RecordContent,
  type RecordKind
} from "../../domain/records/ResourceRecord.ts"
import type { ApiKeyRecord } from "../../tables/accessTables.ts"
import type { CategoryRecord } from "../../tables/categoryTable.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import type { OrderRecord } from "../../tables/orderTable.ts"
import type { PetRecord } from "../../tables/petTable.ts"
import type { RecordRow } from "../../tables/recordTable.ts"
import type { WebhookRecord } from "../../tables/webhookTables.ts"
import { ApiKeyLog } from "./ApiKeyLog.ts"
import type { FoldedRow } from "./checkpoint/CheckpointState.ts"
import { digestOfStored, SettledRows } from "./checkpoint/settled.ts"
import { type ReplayedResources, replay } from "./eventRules.ts"
import type { OrderEventOfPet } from "./Facts.ts"
import { type StockTrace, traced } from "./Ledger.ts"
import { MessageLog } from "./MessageLog.ts"
import { PetStatuses } from "./PetStatuses.ts"
import type { Check, Report } from "./Report.ts"
import { type Replayed, ResourceLog, recordAfter, remains } from "./ResourceLog.ts"
import {
  replayedCategory,
  replayedOrder,
  replayedPet,
  replayedStock,
  replayedWebhook,
  storedCategory,
  storedOrder,
  storedPet,
  storedStock,
  storedWebhook
} from "./replayedRows.ts"
import type { StoredResults } from "./StoredResults.ts"

type StockData = EventData["inventory.updated"]
type OrderData = EventData["order.placed"]

const sameStock = (a: StockData, b: StockData): boolean =>
  a.quantity === b.quantity && a.status === b.status && a.reserved === b.reserved && a.available === b.available

const sameOrder = (a: OrderData, b: OrderData): boolean =>
  a.petId === b.petId && a.quantity === b.quantity && a.shipDate === b.shipDate && a.complete === b.complete

/** Replays the events about the rows of a bucket, and compares the rows with what comes out. */
export class EventLog {
  private readonly resources: ReplayedResources
  private readonly traces = new Map<number, StockTrace>()
  /** What is set in the records of completed orders whose own events were removed. */
  private readonly settledRecords = new Map<number, CountedRecord>()
  private readonly checkRow: Check<"replayedRow">
  private readonly checkRecord: Check<"replayedRecord">
  private readonly checkOrderEvent: Check<"orderEventOfPet">

  /** Whether events were removed from the log. */
  isTrimmed = false
  /** Rows that have ended and whose events were removed. */
  readonly settled: SettledRows

  constructor(report: Report, results: Pick<StoredResults, "created">) {
    const change = report.on("change")
    this.checkRow = report.on("replayedRow")
    this.resources = {
      categories: new ResourceLog<EventData["category.created"]>(sameCategory, change),
      pets: new ResourceLog<EventData["pet.created"]>(samePet, change),
      stock: new ResourceLog(sameStock, change),
      orders: new ResourceLog(sameOrder, change),
      recordOfOrder: (event, id, record) => this.recordOfOrder(event, id, record),
      messages: new MessageLog({
        step: report.on("messageStep"),
        message: report.on("message"),
        folded: report.on("foldedMessage")
      }),
      // Every change increases the version, also one of the URL, which is not in the events.
      webhooks: new ResourceLog<EventData["webhook.created"]>(() => false, change),
      apiKeys: new ApiKeyLog({ step: report.on("apiKeyStep"), row: this.checkRow }),
      statuses: new PetStatuses(report.on("status")),
      created: (id, result, at) => results.created(id, result, at),
      moved: (petId, at, stock, reason) => this.traces.set(petId, traced(this.traces.get(petId), at, stock, reason))
    }
    this.settled = new SettledRows(report.on("settled"))
    this.checkRecord = report.on("replayedRecord")
    this.checkOrderEvent = report.on("orderEventOfPet")
  }

  /** Replays the next event about a row of the bucket. Call it for all of them before the rows. */
  replay(event: EventRecord): void {
    replay(event, this.resources)
  }

  /** Continues with what removed events leave of a row. Call it before the events of the row. */
  restore(id: number | string, row: FoldedRow): void {
    const { apiKey, category, message, order, pet, record, status, stock, trace, webhook } = row
    const { apiKeys, categories, messages, orders, pets, statuses, stock: stocks, webhooks } = this.resources
    if (typeof id === "string") {
      if (message !== undefined) messages.restore(id, message)
      return
    }
    if (apiKey !== undefined) apiKeys.restore(id, apiKey)
    if (category !== undefined) categories.restore(id, category)
    if (webhook !== undefined) webhooks.restore(id, webhook)
    if (pet !== undefined) pets.restore(id, pet)
    if (stock !== undefined) stocks.restore(id, stock)
    if (status !== undefined) statuses.restore(id, status)
    if (trace !== undefined) this.traces.set(id, trace)
    if (order !== undefined) orders.restore(id, order)
    if (record !== undefined) this.settledRecords.set(id, record)
  }

  /** What the events so far leave of a row. */
  folded(table: string, id: number | string): FoldedRow {
    if (typeof id === "string") {
      const message = this.resources.messages.folded(id)
      return message === undefined ? {} : { message }
    }
    const { apiKeys, categories, orders, pets, statuses, stock: stocks, webhooks } = this.resources
    const apiKey = table === "apiKeys" ? apiKeys.find(id) : undefined
    const category = table === "categories" ? categories.find(id) : undefined
    const order = table === "orders" ? orders.find(id) : undefined
    const record = table === "orders" ? this.settledRecordOf(id, order) : undefined
    const webhook = table === "webhooks" ? webhooks.find(id) : undefined
    const isPet = table === "pets"
    const [pet, stock, status, trace] = isPet
      ? [pets.find(id), stocks.find(id), statuses.find(id), this.traces.get(id)]
      : []
    return {
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(category === undefined ? {} : { category }),
      ...(webhook === undefined ? {} : { webhook }),
      ...(pet === undefined ? {} : { pet }),
      ...(stock === undefined ? {} : { stock }),
      ...(status === undefined ? {} : { status }),
      ...(trace === undefined ? {} : { trace }),
      ...(order === undefined ? {} : { order }),
      ...(record === undefined ? {} : { record })
    }
  }

  /** What is set in the record of a completed order. */
  private settledRecordOf(id: number, order: Replayed<OrderData> | undefined): CountedRecord | undefined {
    if (order === undefined) return this.settledRecords.get(id)
    return order.end !== undefined && remains(order) ? order.record : undefined
  }

  private recordOfOrder(event: EventRecord, id: number, record: RecordContent): void {
    const { orders } = this.resources
    if (this.isTrimmed && orders.find(id) === undefined)
      this.settledRecords.set(id, recordAfter(this.settledRecords.get(id), record))
    else orders.record(event, id, record)
  }

  /** Whether a pet has ended and all of its events were removed, so that its digest is compared. */
  isSettled({ deleted, id }: PetRecord): boolean {
    const { pets, stock } = this.resources
    return this.isTrimmed && deleted && pets.find(id) === undefined && stock.find(id) === undefined
  }

  /** Checks the pet of an order at the time of an event of that order. Call it among the events of pets. */
  checkPetOf(event: OrderEventOfPet): void {
    this.checkOrderEvent({ event, pet: this.resources.pets.find(event.petId) })
  }

  /** The trace that the events of the stock of a pet leave. */
  traceOf(petId: number): StockTrace | undefined {
    return this.traces.get(petId)
  }

  /**
   * Compares what is set in the record of a resource with its events, and its owner with that of the resource. Call it before the
   * resource itself is compared.
   */
  compareRecord(kind: RecordKind, id: number, row: RecordRow | undefined, owner?: string): void {
    const resource = this.resources[kind].find(id)
    const settled = kind === "orders" ? this.settledRecords.get(id) : undefined
    const replayed = resource === undefined ? settled : remains(resource) ? resource.record : undefined
    // Nearly all.
    if (row !== undefined || replayed !== undefined)
      this.checkRecord({
        kind,
        id,
        stored: row ?? emptyRecord,
        replayed: replayed ?? emptyRecord,
        owners: { stored: row?.owner, expected: row === undefined ? undefined : owner }
      })
  }

  compareCategory(record: CategoryRecord): void {
    const { id } = record.category
    const replayed = this.resources.categories.take(id)
    if (this.isTrimmed && record.deleted && replayed === undefined) {
      this.settled.add("categories", id, digestOfStored.categories(record))
    } else {
      const expected = replayed && replayedCategory(replayed)
      this.checkRow({ table: "categories", id, stored: storedCategory(record), expected })
    }
  }

  /** `trace`: of the movements of the pet. */
  comparePet(record: PetRecord, trace: StockTrace | undefined): void {
    const { id } = record
    if (this.isSettled(record)) {
      this.settled.add("pets", id, digestOfStored.pets(record, trace))
      return
    }
    const [pet, stock] = [this.resources.pets.take(id), this.resources.stock.take(id)]
    this.checkRow({ table: "pets", id, stored: storedPet(record), expected: pet && replayedPet(pet) })
    this.checkRow({ table: "inventory", id, stored: storedStock(record), expected: stock && replayedStock(stock) })
  }

  compareOrder(record: OrderRecord): void {
    const { id, order } = record
    const replayed = this.resources.orders.take(id)
    if (this.isTrimmed && orderStates[order.state]?.end !== undefined && replayed === undefined) {
      this.settled.add("orders", id, digestOfStored.orders(record))
    } else {
      const expected = replayed && replayedOrder(replayed)
      this.checkRow({ table: "orders", id, stored: storedOrder(record), expected })
    }
  }

  compareMessage(record: MessageRecord): void {
    this.resources.messages.compare(record)
  }

  compareApiKey(record: ApiKeyRecord): void {
    this.resources.apiKeys.compare(record)
  }

  compareWebhook(record: WebhookRecord): void {
    const { id } = record.webhook
    const replayed = this.resources.webhooks.take(id)
    this.checkRow({
      table: "webhooks",
      id,
      stored: storedWebhook(record),
      expected: replayed && replayedWebhook(replayed)
    })
  }

  /** Checks that every resource of the bucket had its row, and starts again. */
  finish(): void {
    const { apiKeys, categories, messages, orders, pets, statuses, stock, webhooks } = this.resources
    const missing = { stored: undefined, expected: undefined }
    for (const id of categories.takeAll()) this.checkRow({ table: "categories", id, ...missing })
    for (const id of pets.takeAll()) this.checkRow({ table: "pets", id, ...missing })
    for (const id of stock.takeAll()) this.checkRow({ table: "inventory", id, ...missing })
    for (const id of orders.takeAll()) this.checkRow({ table: "orders", id, ...missing })
    for (const id of webhooks.takeAll()) this.checkRow({ table: "webhooks", id, ...missing })
    apiKeys.finish()
    messages.finish()
    statuses.finish()
    this.traces.clear()
    this.settledRecords.clear()
  }
}
