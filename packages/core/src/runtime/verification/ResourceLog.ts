import type { EventType } from "../../domain/events/Event.ts"
import { type CountedRecord, emptyRecord, type RecordContent } from "../../domain/records/ResourceRecord.ts"
import type { EventRecord } from "../../tables/eventTable.ts"

/** A resource as its latest event shows it, and the type of the event that ended it. */
export interface Replayed<Data> {
  readonly data: Data
  /** The time of its first event. */
  readonly createdAt: string
  /** The time of its latest event. */
  readonly updatedAt: string
  /** What is set in its record; absent before the first event about that. */
  readonly record?: CountedRecord
  readonly end?: EventType
}

interface Versioned {
  readonly version: number
}

/** A record after an event about it. */
export const recordAfter = (
  { changes }: CountedRecord = emptyRecord,
  { externalId, metadata }: RecordContent
): CountedRecord => ({ ...(externalId === undefined ? {} : { externalId }), metadata, changes: changes + 1 })

/** Whether a resource is still there: a completed order is. */
export const remains = ({ end }: Pick<Replayed<unknown>, "end">): boolean =>
  end === undefined || end === "order.completed"

/** An event of a resource, and the resource before it; undefined if no event created it. */
export interface Change {
  readonly event: EventRecord
  readonly before: Replayed<Versioned> | undefined
  /** What the event does to the resource. A deletion has no data. */
  readonly does:
    | { readonly what: "creates"; readonly data: Versioned }
    /** `isSame`: callers see the same as before, so the version stays. */
    | { readonly what: "changes"; readonly data: Versioned; readonly isSame: boolean }
    /** A change beside its data. */
    | { readonly what: "records" }
    | { readonly what: "ends" }
}

/** Replays the events of one kind of resource. Each event carries the whole resource, so only the latest one counts. */
export class ResourceLog<Data extends Versioned> {
  private readonly isSame: (a: Data, b: Data) => boolean
  private readonly check: (change: Change) => void
  private readonly latest = new Map<number, Replayed<Data>>()

  /** `isSame` is whether callers see the same of two versions. */
  constructor(isSame: (a: Data, b: Data) => boolean, check: (change: Change) => void) {
    this.isSame = isSame
    this.check = check
  }

  /** A resource as it is after the events so far. */
  find(id: number): Replayed<Data> | undefined {
    return this.latest.get(id)
  }

  /** Continues with a resource as removed events leave it. */
  restore(id: number, replayed: Replayed<Data>): void {
    this.latest.set(id, replayed)
  }

  /** Removes a resource and returns it. */
  take(id: number): Replayed<Data> | undefined {
    const replayed = this.latest.get(id)
    this.latest.delete(id)
    return replayed
  }

  /** Removes all resources and returns their ids. */
  takeAll(): ReadonlyArray<number> {
    const ids = [...this.latest.keys()]
    this.latest.clear()
    return ids
  }

  create(event: EventRecord, id: number, data: Data): void {
    this.check({ event, before: this.latest.get(id), does: { what: "creates", data } })
    this.latest.set(id, { data, createdAt: event.timestamp, updatedAt: event.timestamp })
  }

  change(event: EventRecord, id: number, data: Data): void {
    const before = this.latest.get(id)
    const isSame = before !== undefined && this.isSame(before.data, data)
    this.check({ event, before, does: { what: "changes", data, isSame } })
    if (before?.end !== undefined) return
    const { timestamp: updatedAt } = event
    this.latest.set(id, { ...(before ?? { createdAt: updatedAt }), data, updatedAt })
  }

  /** Notes what is set in the record of a resource. */
  record(event: EventRecord, id: number, record: RecordContent): void {
    const before = this.latest.get(id)
    this.check({ event, before, does: { what: "records" } })
    if (before === undefined || !remains(before)) return
    this.latest.set(id, { ...before, record: recordAfter(before.record, record), updatedAt: event.timestamp })
  }

  end(event: EventRecord, id: number): void {
    this.check({ event, before: this.latest.get(id), does: { what: "ends" } })
    this.close(id, event.type, event.timestamp)
  }

  /** Notes the end of a resource by an event that is not its own. */
  close(id: number, by: EventType, updatedAt?: string): void {
    const before = this.latest.get(id)
    if (before !== undefined && before.end === undefined)
      this.latest.set(id, { ...before, ...(updatedAt === undefined ? {} : { updatedAt }), end: by })
  }
}

/** Whether a resource has nothing that it did not have before. */
export const repeats = (before: Versioned, data: Versioned): boolean => {
  // Nearly always.
  if (before.version !== data.version) return false
  const known = new Map(Object.entries(before))
  return Object.entries(data).every(([field, value]) => known.get(field) === value)
}
