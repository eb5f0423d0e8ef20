import { Clock, Context, Effect, Layer } from "effect"
import type { NewEvent } from "../domain/Event.ts"
import { formatTimestamp } from "../domain/Timestamp.ts"
import { Hasher } from "../ports/Hasher.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Transaction } from "../ports/Transaction.ts"

const digits = (value: number, length: number): string => value.toString(36).padStart(length, "0")

/** Time, identities that sort by it, and the event log: what every command writes down beside its own rows. */
export class Journal extends Context.Service<
  Journal,
  {
    /** The present time; never earlier than at the call before, whatever the wall clock does. */
    readonly now: Effect.Effect<string>
    /** A new identity with this prefix: those of one engine sort in the order in which they were made. */
    readonly nextId: (prefix: string) => Effect.Effect<string>
    /** Appends events, in this order, to the transaction that makes them true. */
    readonly record: (at: string, events: ReadonlyArray<NewEvent>) => Effect.Effect<void, StorageError, Transaction>
  }
>()("@petstore/core/services/Journal") {
  static readonly layer = Layer.effect(
    Journal,
    Effect.gen(function* () {
      const { events } = yield* Storage
      const hasher = yield* Hasher
      // Tells engines on one database apart.
      const engine = Array.from(hasher.randomBytes(8), (byte) => digits(byte % 36, 1)).join("")
      let latest = 0
      let formatted = formatTimestamp(0)
      let counter = 0

      const millis = Clock.clockWith((clock) => {
        const read = clock.currentTimeMillisUnsafe()
        if (read > latest) {
          latest = read
          formatted = formatTimestamp(read)
          counter = 0
        }
        return Effect.succeed(latest)
      })
      const now = Effect.map(millis, () => formatted)
      const nextId = (prefix: string) =>
        Effect.map(millis, (at) => `${prefix}_${digits(at, 9)}${digits(counter++, 5)}${engine}`)
      const append = (at: string, event: NewEvent) =>
        Effect.flatMap(nextId("evt"), (id) => events.append({ ...event, id, timestamp: at }))
      const record = (at: string, all: ReadonlyArray<NewEvent>) =>
        all.length === 1 && all[0] !== undefined
          ? append(at, all[0])
          : Effect.forEach(all, (event) => append(at, event), { discard: true })

      return { now, nextId, record }
    })
  )
}
