import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { countOption, durationOption, type OptionSchemas, optionsCheck } from "../domain/options.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { sleep } from "../services/background/sleep.ts"
import { thrownMessage } from "../services/background/thrownMessage.ts"
import { startWorker, type Work } from "../services/background/Worker.ts"
import { storeMillis } from "../services/storeTime.ts"
import { type TracedWork, tracedWork, type WorkSpan, withoutSpan } from "../services/tracing.ts"
import { TransactionBody } from "../transactions/TransactionBody.ts"
import type { MessageWithDelivery } from "./Message.ts"
import { type AttemptOutcome, MessageQueue } from "./MessageQueue.ts"
import { type MessageRecord, toMessage } from "./MessageState.ts"
import type { MessageClaim } from "./messageCommands.ts"

/** An attempt at the delivery of a message. */
export interface MessageAttempt {
  /** Which attempt it is, from 1 to 10. */
  readonly attempt: number
  /**
   * Rises with each claim of the message. A system that keeps the highest fence it has seen for a message can reject an
   * attempt that another one has overtaken.
   */
  readonly fence: number
}

/** An attempt at the delivery of a message, for a function. */
export interface MessageContext extends MessageAttempt {
  /** Aborts when the attempt ends before the function: its time is over, another worker has its message, or the petstore closes. */
  readonly signal: AbortSignal
}

/** Delivers a message: it is delivered when the function returns, or when its promise is fulfilled. */
export type OnMessage = (message: MessageWithDelivery, context: MessageContext) => unknown

/** Delivers a message: it is delivered when the effect succeeds. Interrupted when the attempt ends otherwise. */
export type MessageHandler<E = unknown, R = never> = (
  message: MessageWithDelivery,
  attempt: MessageAttempt
) => Effect.Effect<unknown, E, R>

/** How messages are delivered. */
export interface MessageDeliveryOptions {
  /** How many messages this petstore delivers at the same time; 10 by default. */
  readonly concurrency?: number | undefined
  /** How long an attempt may take; 5 minutes by default. A number is milliseconds. */
  readonly timeout?: Duration.Input | undefined
  /** How long closing waits for running attempts; 10 seconds by default. A number is milliseconds. */
  readonly drain?: Duration.Input | undefined
}

/** Throws a TypeError for options of the wrong type, which plain JavaScript may pass. */
export const checkDeliveryOptions: (options: unknown) => void = optionsCheck(
  "The option messages",
  "{ concurrency: 20 }",
  {
    concurrency: countOption("a whole number of messages, 1 or more", 1),
    timeout: durationOption,
    drain: durationOption
  } satisfies OptionSchemas<MessageDeliveryOptions>
)

/** Milliseconds. */
const lease = 30_000
const shortestRetry = 100
const longestRetry = 5_000

/** A message that this process delivers. */
interface Running extends MessageClaim {
  readonly record: MessageRecord
  /** Rises when this process claims the message again although it has it: after its clock was set forward. */
  fence: number
}

const reasonIn = (cause: Cause.Cause<unknown>): string => thrownMessage(Cause.squash(cause))

/** By the semantic conventions of messaging. */
const spanOf = ({ attempts, id, trace }: MessageRecord): TracedWork => ({
  name: "process messages",
  kind: "consumer",
  attributes: {
    "messaging.system": "petstore",
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.destination.name": "messages",
    "messaging.message.id": id,
    "petstore.message.attempt": attempts
  },
  causes: [trace]
})

/** Delivers the messages of the queue. */
export class MessageDelivery extends Context.Service<
  MessageDelivery,
  {
    /** Claims no more messages, and waits until the running attempts end, but no longer than the option `drain`. */
    readonly drain: Effect.Effect<void>
  }
>()("@petstore/core/messages/MessageDelivery") {
  /**
   * Delivers messages with this handler as long as the layer is in use: at least once, and one at a time for each message.
   * Throws a TypeError for invalid options.
   */
  static readonly layer = <E, R>(handler: MessageHandler<E, R>, options: MessageDeliveryOptions = {}) => {
    checkDeliveryOptions(options)
    return Layer.effect(
      MessageDelivery,
      Effect.flatMap(Effect.map(Effect.context<R>(), withoutSpan), (context) =>
        deliver((message, attempt) => Effect.provideContext(handler(message, attempt), context), options)
      )
    )
  }

  /** The same with a function. */
  static readonly callingBack = (onMessage: OnMessage, options?: MessageDeliveryOptions) =>
    MessageDelivery.layer(calling(onMessage), options)
}

/** The function as an effect, which aborts the signal when it is interrupted. */
const calling =
  (onMessage: OnMessage): MessageHandler =>
  (message, attempt) =>
    Effect.tryPromise({
      try: async (signal) => TransactionBody.outside(() => onMessage(message, { ...attempt, signal })),
      catch: (error) => error
    })

const deliver = Effect.fnUntraced(function* (handler: MessageHandler, options: MessageDeliveryOptions) {
  const storage = yield* Storage
  const queue = yield* MessageQueue
  const timeout = Duration.toMillis(options.timeout ?? "5 minutes")
  const drainTime = Duration.toMillis(options.drain ?? "10 seconds")
  const running = new Map<string, Running>()
  /** Outcomes that could not be recorded before the lease expired. They count unless another worker claims the message. */
  const unrecorded = new Map<Running, AttemptOutcome>()
  const idle = Latch.makeUnsafe(true)
  let isDraining = false

  const forget = (claim: Running): void => {
    running.delete(claim.id)
    if (running.size === 0) idle.openUnsafe()
  }

  const claim: Work<Running>["claim"] = Effect.fnUntraced(function* (limit) {
    for (const [late, outcome] of unrecorded) {
      yield* queue.finish(late, outcome)
      unrecorded.delete(late)
    }
    if (isDraining) return { items: [] }
    const { items, nextDue } = yield* queue.claim(limit, lease)
    const begun: Array<Running> = []
    for (const record of items) {
      const { fence } = record.lease
      const known = running.get(record.id)
      if (known === undefined) begun.push({ id: record.id, fence, record })
      else known.fence = fence
    }
    // Draining began during the claim.
    if (isDraining) yield* queue.release(begun)
    else {
      for (const one of begun) {
        running.set(one.id, one)
        idle.closeUnsafe()
      }
    }
    return { items: isDraining ? [] : begun, nextDue }
  })

  const attempt = ({ fence, record }: Running): Effect.Effect<AttemptOutcome> =>
    Effect.raceFirst(
      Effect.matchCause(
        // Not before the code that waits for the petstore to open has run.
        Effect.andThen(
          Effect.yieldNow,
          Effect.suspend(() => handler(toMessage(record), { attempt: record.attempts, fence }))
        ),
        { onSuccess: (): AttemptOutcome => "delivered", onFailure: (cause) => ({ error: reasonIn(cause) }) }
      ),
      Effect.as(sleep(timeout), { error: `The attempt took longer than ${timeout} ms.` })
    )

  /** Tries until the outcome is recorded, or refused because another worker has claimed the message. */
  const recorded = (one: Running, outcome: AttemptOutcome, wait = shortestRetry): Effect.Effect<void, StorageError> =>
    Effect.matchEffect(queue.finish(one, outcome), {
      onSuccess: (isRecorded) =>
        isRecorded
          ? Effect.void
          : Effect.logWarning(`Message ${one.id} was claimed by another worker, or delivered by a webhook, meanwhile`),
      onFailure: (error) =>
        error.code === "shutting_down"
          ? Effect.fail(error)
          : Effect.andThen(
              sleep(wait),
              Effect.suspend(() => recorded(one, outcome, Math.min(2 * wait, longestRetry)))
            )
    })

  const deliverOne = (one: Running, span: WorkSpan): Effect.Effect<void, StorageError> =>
    Effect.flatMap(attempt(one), (outcome) => {
      if (outcome !== "delivered") span.failed("failure")
      // A handler that fails because everything closes around it does not use up an attempt.
      if (isDraining && outcome !== "delivered") return queue.release([one])
      return Effect.onInterrupt(recorded(one, outcome), () => Effect.sync(() => unrecorded.set(one, outcome)))
    }).pipe(Effect.ensuring(Effect.sync(() => forget(one))))

  const run = (one: Running): Effect.Effect<void, StorageError> =>
    tracedWork(
      () => spanOf(one.record),
      (span) => deliverOne(one, span)
    )

  yield* startWorker<Running>({
    name: "messages",
    lease,
    millis: storeMillis(storage),
    concurrency: options.concurrency ?? 10,
    watch: storage.watch,
    claim,
    extend: (claims) => queue.extend(claims, lease),
    run,
    release: queue.release
  })

  const drain = yield* Effect.cached(
    Effect.suspend(() => {
      isDraining = true
      // Keeps the process alive, so that it does not exit before it has closed if a handler waits for nothing that does.
      return Effect.raceFirst(idle.await, Effect.sleep(drainTime))
    })
  )
  yield* Effect.addFinalizer(() => drain)
  return { drain }
})
