import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Event } from "../../domain/events/Event.ts"
import type { EventFilter, OrderOwners } from "../../domain/events/EventFilter.ts"
import { asking, goOn, map } from "../../ports/Direct.ts"
import type { EventRows } from "../../ports/EventRows.ts"
import type { Rows } from "../../ports/Rows.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { orders } from "../../tables/index.ts"

/** Finds out whom the orders of some events belong to. */
export type FindOwners = (events: ReadonlyArray<Event>) => Effect.Effect<OrderOwners, StorageError>

export const noOwners: Effect.Effect<OrderOwners> = Exit.succeed(new Map())

const prefix = "orders/"

/**
 * Looks up the owners of the orders that at most 1,000 events are about. No event has the owner, since events are published;
 * an order keeps its own whatever becomes of it and of its events.
 */
export const ownersIn =
  (rows: Rows): FindOwners =>
  (events) => {
    const ids = new Set<number>()
    for (const { subject } of events) if (subject.startsWith(prefix)) ids.add(Number(subject.slice(prefix.length)))
    return ids.size === 0
      ? noOwners
      : map(
          rows.findAll(orders, [...ids]),
          (records) =>
            new Map(records.flatMap(({ id, owner }) => (owner === undefined ? [] : [[prefix + id, owner] as const])))
        )
  }

/** How many events are indexed together: those with the numbers 1 to 256, and so on. */
const blockSize = 256
/** How many blocks are kept: 262,144 events, for which the index takes some megabytes. */
const keptBlocks = 1_024

/** The numbers of the events of each owner. */
type Block = ReadonlyMap<string, ReadonlyArray<number>>

/** What one look at the log has found. */
export interface OwnedPart {
  readonly events: ReadonlyArray<Event>
  /** The `seq` up to which it has looked. */
  readonly last: number
  /** Whether there was nothing behind that. */
  readonly isEnd: boolean
  /** How many events it has read. */
  readonly read: number
}

/** The owner of a filter that selects nothing but events of their orders; undefined for another filter. */
export const ownerAlone = ({ owner, shownTypes, types }: EventFilter): string | undefined =>
  [...(shownTypes ?? [])].every((type) => types !== undefined && !types.has(type)) ? owner : undefined

/**
 * Finds the events of the orders of an owner. No event has its owner, so an index of the log is made in memory, block by block, as it is
 * read: the log only grows, and the owner of an order never changes. Who reads a part of it again pays for their own events alone.
 */
export class OwnedEvents {
  private readonly events: Pick<EventRows, "find" | "scan">
  private readonly ownersIn: FindOwners
  private readonly blocks = new Map<number, Block>()

  constructor(events: Pick<EventRows, "find" | "scan">, ownersIn: FindOwners) {
    this.events = events
    this.ownersIn = ownersIn
  }

  /** The events of an owner behind a position in the next part of the log. */
  after(owner: string, position: number): Effect.Effect<OwnedPart, StorageError> {
    return asking(() => {
      let next = position
      let block = this.blockAt(next)
      // Blocks without any event of the owner cost nothing.
      while (block !== undefined && !block.has(owner)) {
        next = endOf(next)
        block = this.blockAt(next)
      }
      return block === undefined ? this.readBlock(owner, next) : this.find(block.get(owner) ?? [], next, endOf(next), 0)
    })
  }

  private blockAt(position: number): Block | undefined {
    return this.blocks.get(startOf(position))
  }

  private find(
    seqs: ReadonlyArray<number>,
    after: number,
    last: number,
    read: number
  ): Effect.Effect<OwnedPart, StorageError> {
    const wanted = seqs.filter((seq) => seq > after)
    const ownEvents = wanted.length === 0 ? Exit.succeed([]) : this.events.find(wanted)
    return map(ownEvents, (events) => ({ events, last, isEnd: false, read: read + wanted.length }))
  }

  private readBlock(owner: string, position: number): Effect.Effect<OwnedPart, StorageError> {
    const start = startOf(position)
    const owned = new Map<string, Array<number>>()
    return goOn(this.events.scan(start, blockSize), (events) =>
      map(this.ownersIn(events), (owners) => {
        for (const { seq, subject } of events) {
          const owner = owners.get(subject)
          if (owner === undefined) continue
          const seqs = owned.get(owner)
          if (seqs === undefined) owned.set(owner, [seq])
          else seqs.push(seq)
        }
        const isWhole = events.length === blockSize && events.at(-1)?.seq === start + blockSize
        if (isWhole) this.keep(start, owned)
        return {
          events: events.filter(({ seq, subject }) => seq > position && owners.get(subject) === owner),
          last: Math.max(position, events.at(-1)?.seq ?? position),
          isEnd: events.length < blockSize,
          read: events.length
        }
      })
    )
  }

  private keep(start: number, block: Block): void {
    this.blocks.set(start, block)
    const [oldest] = this.blocks.keys()
    if (oldest !== undefined && this.blocks.size > keptBlocks) this.blocks.delete(oldest)
  }
}

const startOf = (position: number): number => position - (position % blockSize)

const endOf = (position: number): number => startOf(position) + blockSize
