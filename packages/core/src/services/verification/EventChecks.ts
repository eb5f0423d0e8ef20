import { sameCategory } from "../../domain/Category.ts"
import type { EventData, EventType } from "../../domain/Event.ts"
import { orderStates } from "../../domain/OrderState.ts"
import { type Stock, statusOf } from "../../domain/Stock.ts"
import type { CategoryRecord } from "../../ports/CategoryRows.ts"
import type { EventRecord } from "../../ports/EventRows.ts"
import type { OrderRecord } from "../../ports/OrderRows.ts"
import type { PetRecord } from "../../ports/PetRows.ts"
import type { AnswerChecks } from "./AnswerChecks.ts"
import { Check } from "./Check.ts"
import { hasShape } from "./hasShape.ts"
import type { IdChecks } from "./IdChecks.ts"
import { isConsistent } from "./isConsistent.ts"
import { isEventId } from "./isEventId.ts"
import { type MovementTrace, traced } from "./MovementTrace.ts"
import { ResourceLog, ResourceRules } from "./ResourceLog.ts"
import { StatusChecks } from "./StatusChecks.ts"

type ToldCategory = EventData["category.created"]
type ToldPet = EventData["pet.created"]
type ToldStock = EventData["inventory.updated"]
type ToldOrder = EventData["order.placed"]

/** What an event of an order means for its pet. */
export interface OrderEventOfPet {
  readonly seq: number
  readonly type: EventType
  readonly orderId: number
  readonly petId: number
}

const samePet = (a: ToldPet, b: ToldPet): boolean =>
  a.name === b.name && a.categoryId === b.categoryId && a.status === b.status

const sameStock = (a: ToldStock, b: ToldStock): boolean =>
  a.quantity === b.quantity && a.status === b.status && a.reserved === b.reserved && a.available === b.available

const sameOrder = (a: ToldOrder, b: ToldOrder): boolean =>
  a.petId === b.petId && a.quantity === b.quantity && a.shipDate === b.shipDate && a.complete === b.complete

/** The rules of the event log: those of each event, and that replaying all of them gives every row as it is. */
export class EventChecks {
  private readonly rules = new ResourceRules()
  private readonly numbered = new Check("events_numbered", "The events are numbered 1, 2, 3 and so on, without a gap.")
  private readonly consistent = new Check(
    "events_consistent",
    "An event is about the resource whose data it carries; the data is whole, and the status, free units and completion in it follow from the rest."
  )
  private readonly identified = new Check(
    "event_ids",
    "The id of an event is one, and is not older than the time of the event."
  )
  private readonly statuses = new StatusChecks()
  private readonly traces = new Map<number, MovementTrace>()
  private readonly categories: ResourceLog<ToldCategory>
  private readonly pets: ResourceLog<ToldPet>
  private readonly stock: ResourceLog<ToldStock>
  private readonly orders: ResourceLog<ToldOrder>
  private readonly orderPets: Check
  private readonly answers: AnswerChecks
  private seq = 0

  /** `orderPets` is the rule of the pets of orders, which holds at every moment of the log too. */
  constructor(ids: IdChecks, orderPets: Check, answers: AnswerChecks) {
    const log = <A extends { readonly version: number }>(
      collection: string,
      what: string,
      alike: (a: A, b: A) => boolean
    ) => {
      const tells = new Check(
        `events_tell_${collection}`,
        `Replaying the events gives ${what} as it is, its version included.`
      )
      return new ResourceLog(collection, alike, tells, this.rules, ids)
    }
    this.orderPets = orderPets
    this.answers = answers
    this.categories = log<ToldCategory>("categories", "every category", sameCategory)
    this.pets = log("pets", "every pet", samePet)
    this.stock = log("inventory", "the stock of every pet, held or not,", sameStock)
    this.orders = log("orders", "every order", sameOrder)
  }

  /** Counts the next event of the log. Whether it can be replayed. */
  addEvent(event: EventRecord): boolean {
    const { id, seq, subject, timestamp, type } = event
    const expected = this.seq + 1
    this.numbered.expect(seq === expected, () => ({ seq, expected }))
    this.seq = seq
    this.consistent.expect(isConsistent(event) && hasShape(event), () => ({ seq, type, subject }))
    this.identified.expect(isEventId(id, timestamp), () => ({ seq, id, timestamp }))
    return typeof event.data === "object" && event.data !== null
  }

  /** What the events say of the movements of a pet. */
  traceOf(petId: number): MovementTrace | undefined {
    return this.traces.get(petId)
  }

  addCategory({ category: { description, id, name }, deleted, version }: CategoryRecord): void {
    const end = deleted ? "category.deleted" : undefined
    this.categories.compare(id, { name, description, version, end }, ({ data, end }) => ({ ...data, end }))
  }

  addPet({ categoryId, deleted, id, name, stock, stockVersion, version }: PetRecord): void {
    const end = deleted ? "pet.deleted" : undefined
    const status = deleted ? undefined : statusOf(stock)
    this.pets.compare(id, { name, categoryId, version, status, end }, ({ data, end }) => ({
      ...data,
      status: end === undefined ? data.status : undefined,
      end
    }))
    this.stock.compare(id, { ...stock, version: stockVersion }, ({ data, end }) => {
      const { held, quantity: onHand, reserved, version } = data
      return end === undefined ? { onHand, reserved, held, version } : { onHand: 0, reserved: 0, held: false, version }
    })
  }

  addOrder({ id, order: { petId, quantity, shipDate, state }, version }: OrderRecord): void {
    const fact = orderStates[state]?.end?.fact
    const end = fact === undefined ? undefined : `order.${fact}`
    this.orders.compare(id, { petId, quantity, shipDate, state, version, end }, ({ data, end }) =>
      // The event of a cancellation tells the id alone.
      end === "order.cancelled" ? { ...data, state: "cancelled", version: data.version + 1, end } : { ...data, end }
    )
  }

  get all(): ReadonlyArray<Check> {
    const { categories, consistent, numbered, orders, pets, rules, stock } = this
    return [
      numbered,
      consistent,
      this.identified,
      this.statuses.told,
      ...rules.all,
      categories.tells,
      pets.tells,
      stock.tells,
      orders.tells
    ]
  }

  /** Call it when every row of a bucket was added. */
  finish(): void {
    for (const log of [this.categories, this.pets, this.stock, this.orders]) log.finish()
    this.statuses.finish()
    this.traces.clear()
  }

  /** Replays the next event of a resource. Call it for all of a bucket before its rows. */
  replay(event: EventRecord): void {
    const { answers, categories, orders, pets, statuses, stock } = this
    const { data, seq, type } = event
    switch (type) {
      case "category.created":
        categories.created(event, data.id, data)
        answers.created(data.id, { ...data }, event.timestamp)
        break
      case "category.updated":
        categories.changed(event, data.id, data)
        break
      case "category.deleted":
        categories.ended(event, data.id)
        break
      case "pet.created":
        statuses.addPet({ seq, type, petId: data.id, status: data.status })
        pets.created(event, data.id, data)
        answers.created(data.id, { ...data }, event.timestamp)
        break
      case "pet.updated":
        statuses.addPet({ seq, type, petId: data.id, status: data.status })
        pets.changed(event, data.id, data)
        break
      case "pet.status_changed":
        statuses.addChange({ seq, type, petId: data.id, status: data.status }, data.previous)
        pets.changed(event, data.id, data)
        break
      case "pet.deleted":
        pets.ended(event, data.id)
        stock.end(data.id, type)
        this.trace(data.id, event.timestamp, { onHand: 0, reserved: 0, held: false })
        break
      case "inventory.updated":
        statuses.addStock({ seq, type, petId: data.petId, status: data.status })
        // The first one tells of the creation.
        if (stock.find(data.petId) === undefined) stock.created(event, data.petId, data)
        else stock.changed(event, data.petId, data)
        this.trace(data.petId, event.timestamp, {
          onHand: data.quantity,
          reserved: data.reserved ?? 0,
          held: data.held
        })
        break
      case "order.placed": {
        const { state: _, ...answered } = data
        orders.created(event, data.id, data)
        answers.created(data.id, answered, event.timestamp)
        break
      }
      case "order.updated":
        orders.changed(event, data.id, data)
        break
      case "order.completed":
        orders.changed(event, data.id, data)
        orders.end(data.id, type)
        break
      case "order.cancelled":
        orders.ended(event, data.id)
        break
      case "message.queued":
        answers.created(data.id, { ...data }, event.timestamp)
    }
  }

  /** Counts an event of an order that has a pet, among the events of pets. */
  expectPet({ orderId, petId, seq, type }: OrderEventOfPet): void {
    const pet = this.pets.find(petId)
    this.orderPets.expect(pet !== undefined && pet.end === undefined, () => ({ seq, type, orderId, petId }))
  }

  private trace(petId: number, at: string, stock: Stock): void {
    this.traces.set(petId, traced(this.traces.get(petId), at, stock))
  }
}
