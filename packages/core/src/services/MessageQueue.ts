import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { newEvent } from "../domain/Event.ts"
import { longestLease } from "../domain/Lease.ts"
import {
  acknowledge,
  claim,
  extend,
  fail,
  giveUp,
  longestMessageDelay,
  type MessageRecord,
  release,
  succeed,
  toMessage
} from "../domain/MessageState.ts"
import { plusMillis } from "../domain/Timestamp.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Transaction } from "../ports/Transaction.ts"
import type { Claimed } from "./background/Worker.ts"
import { Journal } from "./Journal.ts"
import { AttemptCounts } from "./stats/AttemptCounts.ts"

/** A claim of a message by a worker. */
export interface MessageClaim {
  readonly id: string
  readonly fence: number
}

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
    /**
     * Records that something other than a worker delivered a locked message, such as a webhook; a part of a transaction. A
     * worker that has the message loses it. Changes nothing if it is delivered.
     */
    readonly acknowledge: (message: MessageRecord) => Effect.Effect<void, StorageError, Transaction>
    /**
     * Records that all but workers have failed to deliver a locked message, and why; a part of a transaction. Changes nothing
     * unless the message is queued, or if a worker has begun to deliver it.
     */
    readonly giveUp: (message: MessageRecord, error: string) => Effect.Effect<void, StorageError, Transaction>
    /** Deletes messages that were delivered before a time, at most `limit`, and returns how many. */
    readonly purge: (before: string, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@petstore/core/services/MessageQueue") {
  static readonly layer = Layer.effect(
    MessageQueue,
    Effect.gen(function* () {
      const { messages, transact } = yield* Storage
      const journal = yield* Journal
      const { messages: counts } = yield* AttemptCounts

      /** Saves a message, with the event of an end. */
      const save = Effect.fnUntraced(function* (record: MessageRecord, at: string) {
        yield* messages.save(record)
        if (record.status === "queued") return
        yield* journal.record(at, [newEvent(`message.${record.status}`, toMessage(record))])
      })

      /** Changes messages in ascending id, so that two transactions never wait for each other. Returns which were. */
      const change = Effect.fnUntraced(function* <C extends MessageClaim>(
        claims: ReadonlyArray<C>,
        at: string,
        to: (record: MessageRecord, fence: number) => MessageRecord | undefined
      ) {
        const changed: Array<C> = []
        for (const one of [...claims].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))) {
          const record = yield* messages.lock(one.id)
          const after = record === undefined ? undefined : to(record, one.fence)
          if (after === undefined) continue
          yield* save(after, at)
          changed.push(one)
        }
        return changed
      })

      return {
        claim: Effect.fnUntraced(function* (limit, lease) {
          // A read alone, because a worker looks after every commit, and messages are rarely due.
          const first = yield* messages.nextDue
          const now = yield* journal.clockTime
          if (first === undefined || (first > now && first <= plusMillis(now, longestMessageDelay))) {
            return { items: [], nextDue: first }
          }
          const items = yield* transact(
            Effect.gen(function* () {
              const at = yield* journal.clockTime
              const found = yield* messages.lockClaimable({
                now: at,
                longestLease: plusMillis(at, longestLease),
                longestDelay: plusMillis(at, longestMessageDelay),
                limit
              })
              const taken: Array<MessageRecord> = []
              for (const record of found) {
                const after = claim(record, at, lease)
                if (after === undefined) continue
                yield* save(after, at)
                if (after.status === "queued") taken.push(after)
              }
              return taken
            }),
            "messages.claim"
          )
          return { items, nextDue: yield* messages.nextDue }
        }),

        extend: (claims, lease) =>
          transact(
            Effect.gen(function* () {
              const at = yield* journal.clockTime
              const extended = yield* change(claims, at, (record, fence) => extend(record, fence, at, lease))
              return claims.filter((one) => !extended.includes(one))
            }),
            "messages.extend"
          ),

        finish: (one, outcome) =>
          Effect.map(
            transact(
              Effect.gen(function* () {
                const at = yield* journal.now
                const random = yield* Random.next
                const changed = yield* change([one], at, (record, fence) =>
                  outcome === "delivered" ? succeed(record, fence, at) : fail(record, fence, outcome.error, at, random)
                )
                return changed.length > 0
              }),
              "messages.finish"
            ),
            (isRecorded) => {
              if (isRecorded) counts[outcome === "delivered" ? "delivered" : "failed"]++
              return isRecorded
            }
          ),

        release: (claims) =>
          transact(
            Effect.gen(function* () {
              const at = yield* journal.clockTime
              yield* change(claims, at, (record, fence) => release(record, fence, at))
            }),
            "messages.release"
          ),

        acknowledge: Effect.fnUntraced(function* (record) {
          const at = yield* journal.now
          const after = acknowledge(record, at)
          if (after !== undefined) yield* save(after, at)
        }),

        giveUp: Effect.fnUntraced(function* (record, error) {
          const at = yield* journal.now
          const after = giveUp(record, error, at)
          if (after !== undefined) yield* save(after, at)
        }),

        purge: (before, limit) =>
          transact(
            Effect.gen(function* () {
              const at = yield* journal.now
              const found = yield* messages.lockDelivered(before, limit)
              for (const { id } of found) {
                yield* messages.remove(id)
                yield* journal.record(at, [newEvent("message.deleted", { id })])
              }
              return found.length
            }),
            "messages.purge"
          )
      }
    })
  )
}
