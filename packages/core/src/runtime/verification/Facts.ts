import * as Effect from "effect/Effect"
import type { EventType } from "../../domain/events/Event.ts"
import type { MovementKind } from "../../domain/inventory/Movement.ts"
import type { MessageRecord } from "../../domain/messages/MessageState.ts"
import type { OrderState } from "../../domain/orders/OrderState.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { IdempotencyRecord } from "../../tables/idempotencyTable.ts"
import type { FoldedRow } from "./checkpoint/CheckpointState.ts"
import type { Row } from "./Finding.ts"

/** A record of an idempotency key, without the fingerprint, which nothing else in the store confirms. */
export type StoredResult = Omit<IdempotencyRecord, "fingerprint">

export interface OrderOfPet {
  readonly orderId: number
  readonly petId: number
  readonly state: OrderState
  readonly quantity: number
}

export interface OrderEventOfPet {
  readonly seq: number
  readonly type: EventType
  readonly orderId: number | string
  readonly petId: number
}

/** The `seq` of an event, which is read again together with the others about its row. */
export type EventReference = number

/** What one part of the store shows about a row in another: little, since a large store has many millions of them. */
export type Fact =
  | EventReference
  | readonly [kind: "storedResult", record: StoredResult, id: number | string]
  | readonly [kind: "folded", id: number | string, folded: FoldedRow]
  | readonly [kind: "creation", id: number | string, at: string, result: Row]
  | readonly [kind: "orderEvent", seq: number, type: EventType, orderId: number | string, petId: number]
  | readonly [kind: "order", orderId: number, petId: number, state: OrderState, quantity: number]
  | readonly [
      kind: "movement",
      petId: number,
      seq: number,
      movement: MovementKind,
      deltaOnHand: number,
      deltaReserved: number,
      orderId: number,
      actor: string,
      at: string
    ]
  | readonly [kind: "pet", id: number, deleted: boolean, categoryId: number]
  | readonly [kind: "message", record: MessageRecord]

interface List {
  /** Facts as JSON, which takes less than what it describes. */
  readonly texts: Array<string>
  waiting: Array<Fact>
}

/** How many facts are used before others get their turn. */
const factsPerTurn = 500

/** What was read in one order and is checked in another: facts about rows, in a list for each bucket of them. */
export class Facts {
  private readonly limit: number
  private readonly lists = new Map<string, Map<number, List>>()
  private waiting = 0

  /** `limit`: how many facts are kept as they are. */
  constructor(limit: number) {
    this.limit = limit
  }

  /** Adds a fact to the list of a bucket. */
  add(table: string, bucket: number, fact: Fact): void {
    const lists = this.lists.get(table) ?? new Map<number, List>()
    if (lists.size === 0) this.lists.set(table, lists)
    const list = lists.get(bucket)
    if (list === undefined) lists.set(bucket, { texts: [], waiting: [fact] })
    else list.waiting.push(fact)
    if (++this.waiting > this.limit) this.compact()
  }

  /** The first bucket of a table, above this one, that has facts. */
  next(table: string, above: number): number | undefined {
    let next: number | undefined
    for (const bucket of this.lists.get(table)?.keys() ?? []) {
      if (bucket > above && (next === undefined || bucket < next)) next = bucket
    }
    return next
  }

  /** Uses the facts of a bucket, a few at a time in the order in which they were added, and forgets them. */
  take(
    table: string,
    bucket: number,
    use: (facts: ReadonlyArray<Fact>) => Effect.Effect<void, StorageError>
  ): Effect.Effect<void, StorageError> {
    const lists = this.lists.get(table)
    const list = lists?.get(bucket)
    if (list === undefined) return Effect.void
    lists?.delete(bucket)
    this.waiting -= list.waiting.length
    return Effect.gen(function* () {
      for (let place = 0; place <= list.texts.length; place++) {
        const text = list.texts[place]
        const facts: ReadonlyArray<Fact> = text === undefined ? list.waiting : JSON.parse(text)
        for (let start = 0; start < facts.length; start += factsPerTurn) {
          yield* Effect.yieldNow
          yield* use(facts.slice(start, start + factsPerTurn))
        }
      }
    })
  }

  private compact(): void {
    for (const lists of this.lists.values()) {
      for (const list of lists.values()) {
        if (list.waiting.length > 0) list.texts.push(JSON.stringify(list.waiting))
        list.waiting = []
      }
    }
    this.waiting = 0
  }
}
