import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { plusMillis } from "../domain/Timestamp.ts"
import { Journal } from "../events/Journal.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Claimed } from "../services/background/Worker.ts"
import { Commands } from "../services/Commands.ts"
import { AttemptCounts } from "../stats/AttemptCounts.ts"
import { leasedMessages, waitingMessages } from "../tables/index.ts"
import { extend, fail, longestMessageDelay, type MessageRecord, release, succeed } from "./MessageState.ts"
import { changeMessages, claimMessages, type MessageClaim, purgeMessages } from "./messageCommands.ts"

/** How an attempt at delivery ended. */
export type AttemptOutcome = "delivered" | { readonly error: string }

/** What happens to queued messages. Each use case is one short transaction. */
export class MessageQueue extends Context.Service<
  MessageQueue,
  {
    /** Claims due messages for so many milliseconds, the oldest first. Messages whose last attempt was lost fail instead. */
    readonly claim: (limit: number, lease: number) => Effect.Effect<Claimed<MessageRecord>, StorageError>
    /** Extends leases to so many milliseconds from now. Returns the claims that have been taken over. */
    readonly extend: <C extends MessageClaim>(
      claims: ReadonlyArray<C>,
      lease: number
    ) => Effect.Effect<ReadonlyArray<C>, StorageError>
    /** Records how an attempt ended. Returns false, and changes nothing, if the claim has been taken over. */
    readonly finish: (claim: MessageClaim, outcome: AttemptOutcome) => Effect.Effect<boolean, StorageError>
    /** Gives messages back, due at once, as if their attempts had not begun. */
    readonly release: (claims: ReadonlyArray<MessageClaim>) => Effect.Effect<void, StorageError>
    /** Deletes messages that were delivered before a time, at most `limit`, and returns how many. */
    readonly purge: (before: string, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@petstore/core/messages/MessageQueue") {
  static readonly layer = Layer.effect(
    MessageQueue,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { run } = yield* Commands
      const { clockTime } = yield* Journal
      const { messages: counts } = yield* AttemptCounts

      /** When the first queued message is due, or the first lease expires. */
      const nextDue = Effect.zipWith(
        storage.select(leasedMessages, undefined, 1),
        storage.select(waitingMessages, undefined, 1),
        ([leased], [waiting]) => earlier(leased?.lease.until, waiting?.dueAt ?? waiting?.createdAt)
      )

      return {
        claim: Effect.fnUntraced(function* (limit, lease) {
          // A read alone, because a worker looks after every commit, and messages are rarely due.
          const first = yield* nextDue
          const now = yield* clockTime
          if (first === undefined || (first > now && first <= plusMillis(now, longestMessageDelay))) {
            return { items: [], nextDue: first }
          }
          const items = yield* run("messages.claim", (call) => claimMessages(call, limit, lease))
          return { items, nextDue: yield* nextDue }
        }),

        extend: (claims, lease) =>
          run("messages.extend", function* (call) {
            const at = call.clockTime()
            const extended = yield* changeMessages(call, claims, at, (one, fence) => extend(one, fence, at, lease))
            return claims.filter((one) => !extended.includes(one))
          }),

        finish: Effect.fnUntraced(function* (one, outcome) {
          const random = yield* Random.next
          const isRecorded = yield* run("messages.finish", function* (call) {
            const at = call.now()
            const changed = yield* changeMessages(call, [one], at, (record, fence) =>
              outcome === "delivered" ? succeed(record, fence, at) : fail(record, fence, outcome.error, at, random)
            )
            return changed.length > 0
          })
          if (isRecorded) counts[outcome === "delivered" ? "delivered" : "failed"]++
          return isRecorded
        }),

        release: (claims) =>
          run("messages.release", function* (call) {
            const at = call.clockTime()
            yield* changeMessages(call, claims, at, (record, fence) => release(record, fence, at))
          }),

        purge: (before, limit) => run("messages.purge", (call) => purgeMessages(call, before, limit))
      }
    })
  )
}

/** The earlier one of two times; texts of times sort as the times do. */
const earlier = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one
