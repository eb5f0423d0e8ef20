import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Event } from "../../domain/events/Event.ts"
import type { OrderOwners } from "../../domain/events/EventFilter.ts"
import { map } from "../../ports/Direct.ts"
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
