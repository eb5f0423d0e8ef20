import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { EventRows } from "../ports/EventRows.ts"
import type { Event } from "./Event.ts"

/** A read of the log that has not ended. */
interface Reading {
  readonly after: number
  readonly limit: number
  readonly ended: Latch.Latch
}

/** Reads the log for followers that have fallen behind: those at about the same place read a page once for all of them. */
export class SharedScan {
  private readonly rows: Pick<EventRows, "scan">
  /** The last full page: rows of the log never change, and nothing appears between them. */
  private page: ReadonlyArray<Event> = []
  private reading: Reading | undefined

  constructor(rows: Pick<EventRows, "scan">) {
    this.rows = rows
  }

  /** See {@link EventRows.scan}. A page may have fewer events although there are more. */
  readonly scan: EventRows["scan"] = (after, limit) =>
    Effect.suspend(() => {
      const { reading } = this
      if (reading === undefined || after < reading.after || after >= reading.after + reading.limit)
        return this.kept(after) ?? this.read(after, limit)
      return Effect.andThen(
        reading.ended.await,
        Effect.suspend(() => this.kept(after) ?? this.rows.scan(after, limit))
      )
    })

  private kept(after: number): Effect.Effect<ReadonlyArray<Event>> | undefined {
    const { page } = this
    const [first] = page
    const rest = first === undefined || after < first.seq - 1 ? [] : page.slice(after + 1 - first.seq)
    return rest.length === 0 ? undefined : Effect.succeed(rest)
  }

  private read(after: number, limit: number): ReturnType<EventRows["scan"]> {
    const reading = { after, limit, ended: Latch.makeUnsafe(false) }
    // An interruption at any point must end the wait of others.
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.reading = reading
      }),
      () =>
        Effect.map(this.rows.scan(after, limit), (page) => {
          if (page.length === limit) this.page = page
          return page
        }),
      () =>
        Effect.sync(() => {
          if (this.reading === reading) this.reading = undefined
          reading.ended.openUnsafe()
        })
    )
  }
}
