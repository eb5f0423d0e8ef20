import type * as Toolkit from "@petstore/core/adapter-toolkit"
import * as Ports from "@petstore/core/ports"
import type { Root } from "./LmdbTable.ts"

/** The trace is beside the event: LMDB does not keep symbols. */
interface StoredEvent {
  readonly event: Ports.EventRecord
  readonly trace?: string
}

const traced = ({ event, trace }: StoredEvent): Ports.EventRecord =>
  trace === undefined ? event : { ...event, [Ports.traceparent]: trace }

const beyond = ["events", Number.POSITIVE_INFINITY]

/** The events at ["events", seq]. */
export class LmdbLog implements Toolkit.KeptEvents {
  private readonly root: Root

  constructor(root: Root) {
    this.root = root
  }

  get last(): number {
    const [key] = this.root.getKeys({ start: beyond, end: ["events"], reverse: true, limit: 1 })
    return Number(key?.at(-1) ?? 0)
  }

  list(after: number, limit: number): ReadonlyArray<Ports.EventRecord> {
    const range = { start: ["events", after], exclusiveStart: true, end: beyond, limit }
    return [...this.root.getRange(range)].map(({ value }) => traced(value as StoredEvent))
  }

  find(seq: number): Ports.EventRecord | undefined {
    const found = this.root.get(["events", seq]) as StoredEvent | undefined
    return found && traced(found)
  }

  append({ id, type, timestamp, [Ports.traceparent]: trace, ...rest }: Ports.EventToAppend): void {
    const seq = this.last + 1
    this.root.putSync(["events", seq], { event: { id, type, timestamp, seq, ...rest }, ...(trace && { trace }) })
  }

  trim(through: number): void {
    for (const key of this.root.getKeys({ start: ["events", 0], end: ["events", through + 1] }))
      this.root.removeSync(key)
  }
}
