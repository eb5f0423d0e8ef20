import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import {
  extend,
  fail,
  longestMessageDelayMillis,
  type MessageRecord,
  release,
  succeed
} from "../../domain/messages/MessageState.ts"
import { plusMillis } from "../../domain/Timestamp.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Call } from "../../programs/Call.ts"
import { Commands } from "../../programs/Commands.ts"
import { Journal } from "../../programs/events/Journal.ts"
import {
  type ClaimedMessage,
  changeMessages,
  claimMessages,
  type MessageClaim,
  purgeMessages
} from "../../programs/messages/messageCommands.ts"
import { leasedMessages, waitingMessages } from "../../tables/index.ts"
import type { Claimed, Ended } from "../background/Worker.ts"
import { AttemptCounts } from "../stats/AttemptCounts.ts"

/** How an attempt at delivery ended: "released" for one that does not count. */
export type AttemptOutcome = "delivered" | "released" | { readonly error: string }

/** What was claimed, and what could not be recorded. */
interface Turn extends Claimed<ClaimedMessage> {
  /** The claims that were no longer the latest. */
  readonly refused: ReadonlyArray<MessageClaim>
}

/** What happens to queued messages. Each use case is one short transaction. */
export class MessageQueue extends Context.Service<
  MessageQueue,
  {
    /**
     * Records how attempts ended, except for claims that are no longer the latest, and claims due messages for this number of milliseconds,
     * the oldest first. Messages whose last attempt was lost fail instead. `isSuspected`: whether the worker has one in work that may end its
     * process.
     */
    readonly recordAndClaim: (
      ended: ReadonlyArray<Ended<MessageClaim, AttemptOutcome>>,
      limit: number,
      lease: number,
      isSuspected?: boolean
    ) => Effect.Effect<Turn, StorageError>
    /** Makes leases end this number of milliseconds from now. Returns the claims that have been taken over. */
    readonly extend: <C extends MessageClaim>(
      claims: ReadonlyArray<C>,
      lease: number
    ) => Effect.Effect<ReadonlyArray<C>, StorageError>
    /** Gives messages back, in their place and due at once, as if their attempts had not begun. */
    readonly release: (claims: ReadonlyArray<MessageClaim>) => Effect.Effect<void, StorageError>
    /** Deletes messages that were delivered before a time, at most `limit`, and returns how many. */
    readonly purge: (before: string, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@petstore/core/messages/MessageQueue") {
  static readonly layer = Layer.effect(
    MessageQueue,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { run: runCommand } = yield* Commands
      const { clockTime } = yield* Journal
      const { messages: counts } = yield* AttemptCounts

      /** When the first message without a lease is due. */
      const firstDue = Effect.map(
        storage.select(waitingMessages, undefined, 1),
        ([waiting]) => waiting?.dueAt ?? waiting?.createdAt
      )
      /** When the first queued message is due, or the first lease expires. */
      const nextDue = Effect.zipWith(storage.select(leasedMessages, undefined, 1), firstDue, ([leased], due) =>
        earlier(leased?.lease.until, due)
      )

      return {
        recordAndClaim: Effect.fnUntraced(function* (ended, limit, lease, isSuspected = false) {
          if (ended.length === 0) {
            // A read alone, because a worker looks after every commit, and messages are rarely due.
            const first = yield* isSuspected ? firstDue : nextDue
            const now = yield* clockTime
            if (first === undefined || (first > now && first <= plusMillis(now, longestMessageDelayMillis))) {
              return { items: [], nextDue: first, refused: [] }
            }
          }
          const random = yield* Random.Random
          // Drawn once, since a command may run several times.
          const draws = ended.map(() => random.nextDoubleUnsafe())
          const { areWaiting, changed, isCut, items, left } = yield* runCommand(
            ended.length === 0 ? "messages.claim" : "messages.finish",
            function* (call) {
              const isOver = call.turn()
              const recorded = yield* recordOutcomes(call, ended, draws, isOver)
              const nothing = { ...recorded, items: [], areWaiting: false }
              if (recorded.left > 0) return { ...nothing, isCut: true }
              if (limit === 0) return { ...nothing, isCut: false }
              return { ...nothing, ...(yield* claimMessages(call, { limit, lease, isOver, isSuspected })) }
            }
          )
          const recorded = ended.length - left
          const refused: Array<MessageClaim> = []
          for (const { item, outcome } of ended.slice(0, recorded)) {
            if (!changed.includes(item)) refused.push(item)
            else if (outcome !== "released") counts[outcome === "delivered" ? "delivered" : "failed"]++
          }
          // The end of the other one is looked for by itself.
          return { items, nextDue: areWaiting ? undefined : isSuspected ? firstDue : nextDue, recorded, refused, isCut }
        }),

        extend: (claims, lease) =>
          runCommand("messages.extend", function* (call) {
            const at = call.clockTime()
            const { changed } = yield* changeMessages(call, claims, at, (one, { fence }) =>
              extend(one, fence, at, lease)
            )
            return claims.filter((one) => !changed.includes(one))
          }),

        release: (claims) =>
          runCommand("messages.release", function* (call) {
            const at = call.clockTime()
            yield* changeMessages(call, claims, at, (record, { dueAt = at, fence }) => release(record, fence, dueAt))
          }),

        purge: (before, limit) => runCommand("messages.purge", (call) => purgeMessages(call, before, limit))
      }
    })
  )
}

/** Records how attempts ended, of the claims that are the latest. Each failure waits for a time of its own. */
function recordOutcomes(
  call: Call,
  ended: ReadonlyArray<Ended<MessageClaim, AttemptOutcome>>,
  draws: ReadonlyArray<number>,
  isOver: () => boolean
) {
  const at = call.now()
  const outcomes = new Map(ended.map(({ item, outcome }, index) => [item, { outcome, draw: draws[index] ?? 0 }]))
  const changeOf = (record: MessageRecord, claim: MessageClaim): MessageRecord | undefined => {
    const { draw = 0, outcome = "released" } = outcomes.get(claim) ?? {}
    if (outcome === "delivered") return succeed(record, claim.fence, at)
    if (outcome === "released") return release(record, claim.fence, call.clockTime())
    return fail(record, claim.fence, outcome.error, at, draw)
  }
  return changeMessages(call, [...outcomes.keys()], at, changeOf, isOver)
}

/** The earlier one of two times; texts of times sort as the times do. */
const earlier = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one
