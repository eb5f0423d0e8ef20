import * as Exit from "effect/Exit"
import type { EventRecord, EventRows } from "../ports/EventRows.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"

// The spread forgets that this data belongs to this type of event.
const copy = (event: EventRecord): EventRecord => ({ ...event, data: { ...event.data } }) as EventRecord

/** The event log of a store: seq is the place in it, from 1 on. */
export const memoryEvents = (connection: MemoryConnection): EventRows => {
  const { events } = connection.database
  return {
    append: (event) =>
      connection.change((log) => {
        events.push(copy({ ...event, seq: events.length + 1 }))
        log.push(() => events.pop())
        return Exit.void
      }),
    latest: connection.read(() => events.length),
    scan: (after, limit) =>
      connection.read(() => events.slice(Math.max(after, 0), Math.max(after, 0) + limit).map(copy))
  }
}
