import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { EventType } from "../events/Event.ts"
import type { IdempotencyRecord } from "../idempotency/idempotencyTable.ts"
import type { MovementKind } from "../inventory/Movement.ts"
import type { MessageRecord } from "../messages/MessageState.ts"
import type { OrderState } from "../orders/OrderState.ts"
import type { TemporaryLists } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { FoldedRow } from "./checkpoint/CheckpointState.ts"
import type { Row } from "./Finding.ts"

/** A record of an idempotency key, without the fingerprint, which nothing else in the store confirms. */
export type StoredResult = Omit<IdempotencyRecord, "fingerprint">

/** An order of a pet. */
export interface OrderOfPet {
  readonly orderId: number
  readonly petId: number
  readonly state: OrderState
  readonly quantity: number
}

/** An event of an order that has a pet. */
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
  /** Texts of this list in temporary lists, each of several facts. */
  spilled: number
  waiting: Array<Fact>
}

/** Where facts are kept that do not fit in memory; undefined if the store has no temporary lists. */
type OpenTemporaryLists = Effect.Effect<TemporaryLists, StorageError, Scope.Scope> | undefined

/** How many facts are used before others get their turn. */
const atATime = 500

/** Lists of texts in memory, which take less than what they describe. A text is read once. */
const memoryLists: Effect.Effect<TemporaryLists> = Effect.sync(() => {
  const lists = new Map<string, Array<string>>()
  return {
    append: (name, text) =>
      Effect.sync(() => {
        const list = lists.get(name)
        if (list === undefined) lists.set(name, [text])
        else list.push(text)
      }),
    read: (name, index) =>
      Effect.sync(() => {
        const list = lists.get(name)
        const text = list?.[index]
        if (text !== undefined) list?.splice(index, 1, "")
        return text
      })
  }
})

/**
 * What was read in one order and is checked in another: facts about rows, in a list for each bucket of them. However many
 * they are, few of them are in memory.
 */
export class Facts {
  private readonly openTemporaryLists: NonNullable<OpenTemporaryLists>
  private readonly limit: number
  private readonly lists = new Map<string, Map<number, List>>()
  private temporaryLists: TemporaryLists | undefined
  private waiting = 0

  constructor(openTemporaryLists: OpenTemporaryLists, limit: number) {
    this.openTemporaryLists = openTemporaryLists ?? memoryLists
    this.limit = limit
  }

  /** Adds a fact to the list of a bucket. Run {@link spill} after each few of them. */
  add(table: string, bucket: number, fact: Fact): void {
    const lists = this.lists.get(table) ?? new Map<number, List>()
    if (lists.size === 0) this.lists.set(table, lists)
    const list = lists.get(bucket)
    if (list === undefined) lists.set(bucket, { spilled: 0, waiting: [fact] })
    else list.waiting.push(fact)
    this.waiting++
  }

  /** Moves facts out of memory if they have become too many. */
  readonly spill: Effect.Effect<void, StorageError, Scope.Scope> = Effect.suspend(() =>
    this.waiting > this.limit ? this.spillAll : Effect.void
  )

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
    const { temporaryLists } = this
    const useAll = Effect.fnUntraced(function* (facts: ReadonlyArray<Fact>) {
      for (let start = 0; start < facts.length; start += atATime) {
        yield* Effect.yieldNow
        yield* use(facts.slice(start, start + atATime))
      }
    })
    return Effect.gen(function* () {
      const name = nameOf(table, bucket)
      for (let place = 0; temporaryLists !== undefined && place < list.spilled; place++) {
        const text = yield* temporaryLists.read(name, place)
        if (text === undefined) return yield* Effect.die(new Error(`The temporary lists lost facts about ${table}`))
        yield* useAll(JSON.parse(text))
      }
      yield* useAll(list.waiting)
    })
  }

  private readonly spillAll: Effect.Effect<void, StorageError, Scope.Scope> = Effect.gen({ self: this }, function* () {
    const temporaryLists = this.temporaryLists ?? (yield* this.openTemporaryLists)
    this.temporaryLists = temporaryLists
    for (const [table, lists] of this.lists) {
      for (const [bucket, list] of lists) {
        if (list.waiting.length === 0) continue
        yield* temporaryLists.append(nameOf(table, bucket), JSON.stringify(list.waiting))
        list.spilled++
        list.waiting = []
      }
    }
    this.waiting = 0
  })
}

const nameOf = (table: string, bucket: number): string => `${table} ${bucket}`
