import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { MessageWithDelivery } from "../../domain/messages/Message.ts"
import { attemptLost, type MessageRecord, toMessage } from "../../domain/messages/MessageState.ts"
import { countOption, durationOption, type OptionTable, optionsCheck, valuesOf } from "../../domain/options.ts"
import { Storage } from "../../ports/Storage.ts"
import type { ClaimedMessage } from "../../programs/messages/messageCommands.ts"
import { storeMillis } from "../../programs/time.ts"
import { hasTracer, type TracedWork, tracedWork, withoutSpan } from "../../programs/tracing.ts"
import { CallSignal, callEffect, type Fork, type StartedCall, startFiber, startFunction } from "../background/calls.ts"
import { thrownMessage } from "../background/thrownMessage.ts"
import { type Ended, Worker } from "../background/Worker.ts"
import { type AttemptOutcome, MessageQueue } from "./MessageQueue.ts"

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

/** What the function `onMessage` receives with a message. */
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
  /** Maximum number of messages that this petstore delivers at the same time. Default: 10. */
  readonly concurrency?: number | undefined
  /** Maximum duration of an attempt. A number is milliseconds. Default: 5 minutes. */
  readonly timeout?: Duration.Input | undefined
  /** Maximum time that closing waits for running attempts. A number is milliseconds. Default: 10 seconds. */
  readonly drain?: Duration.Input | undefined
}

export const deliveryOptions = {
  concurrency: { schema: countOption("a whole number of messages, 1 or more", 1), default: 10 },
  timeout: { schema: durationOption, default: "5 minutes" },
  drain: { schema: durationOption, default: "10 seconds" }
} satisfies OptionTable<MessageDeliveryOptions>

/** Throws a TypeError for options of the wrong type, which plain JavaScript may pass. */
export const checkDeliveryOptions: (options: unknown) => void = optionsCheck(
  "The option messages",
  "{ concurrency: 20 }",
  deliveryOptions
)

/** Milliseconds. */
const leaseMillis = 30_000

/** The span of an attempt, by the semantic conventions of messaging. */
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
        deliver({ effect: (message, attempt) => Effect.provideContext(handler(message, attempt), context) }, options)
      )
    )
  }

  /** The same with a function. */
  static readonly callingBack = (onMessage: OnMessage, options: MessageDeliveryOptions = {}) => {
    checkDeliveryOptions(options)
    return Layer.effect(MessageDelivery, deliver(callsOf(onMessage), options))
  }
}

/** A message that this process delivers. */
interface Running extends ClaimedMessage {
  /** The span of its attempt. */
  span?: string | undefined
}

/** How a handler is called. */
interface HandlerCalls {
  readonly effect: (message: MessageWithDelivery, attempt: MessageAttempt) => Effect.Effect<unknown, unknown>
  /** The same without a fiber. */
  readonly start?: (message: MessageWithDelivery, attempt: MessageAttempt) => StartedCall
}

const callsOf = (onMessage: OnMessage): HandlerCalls => {
  const start = (message: MessageWithDelivery, attempt: MessageAttempt): StartedCall => {
    const call = new CallSignal()
    const context: MessageContext = {
      ...attempt,
      get signal() {
        return call.signal
      }
    }
    return startFunction(() => onMessage(message, context), call)
  }
  return { start, effect: (message, attempt) => callEffect(() => start(message, attempt)) }
}

/** Calls the handler with a message that was claimed, in a span if the program has a tracer. */
const startAttempt =
  ({ effect, start }: HandlerCalls, isTraced: boolean) =>
  (one: Running, fork: Fork): StartedCall => {
    const message = toMessage(one.record)
    const attempt = { attempt: one.record.attempts, fence: one.fence }
    if (start !== undefined && !isTraced) return start(message, attempt)
    return startFiber(
      tracedWork(
        () => spanOf(one.record),
        (span) => {
          one.span = span.traceparent
          return Effect.tapCause(
            Effect.suspend(() => effect(message, attempt)),
            () => Effect.sync(() => span.failed("failure"))
          )
        }
      ),
      fork
    )
  }

const deliver = Effect.fnUntraced(function* (handler: HandlerCalls, options: MessageDeliveryOptions) {
  const storage = yield* Storage
  const queue = yield* MessageQueue
  const { concurrency, drain: drainTimeout, timeout } = valuesOf(deliveryOptions, options)
  const isTraced = hasTracer(yield* Effect.context<never>())
  /** The latest claim of a message that may end this process. */
  let suspect: Running | undefined
  const worker: Worker<Running, AttemptOutcome> = yield* Worker.start<Running, AttemptOutcome>({
    name: "messages",
    lease: leaseMillis,
    millis: storeMillis(storage),
    activity: storage.activity,
    concurrency,
    timeout: Duration.toMillis(timeout),
    watch: storage.watch,
    keyOf: ({ id }) => id,
    recordAndClaim: Effect.fnUntraced(function* (ended, limit) {
      const isSuspected = suspect !== undefined && worker.isHeld(suspect) && !ended.some(({ item }) => item === suspect)
      const { refused, ...claimed } = yield* recorded(
        ended,
        queue.recordAndClaim(ended, limit, leaseMillis, isSuspected)
      )
      suspect = claimed.items.find(({ record }) => record.lastError === attemptLost) ?? suspect
      for (const { id } of refused) {
        yield* Effect.logWarning(`Message ${id} was claimed by another worker, or delivered by a webhook, meanwhile`)
      }
      // Not before the code that waits for the petstore to open has run.
      if (claimed.items.length > 0) yield* Effect.yieldNow
      return claimed
    }),
    extend: (claims) => queue.extend(claims, leaseMillis),
    release: queue.release,
    start: startAttempt(handler, isTraced),
    // A handler that fails because everything closes around it does not use up an attempt.
    outcomeOf: (exit, _, isDraining) =>
      Exit.isSuccess(exit) ? "delivered" : isDraining ? "released" : { error: thrownMessage(Cause.squash(exit.cause)) }
  })
  const drain = yield* Effect.cached(worker.drain(Duration.toMillis(drainTimeout)))
  yield* Effect.addFinalizer(() => drain)
  return { drain }
})

/** Records outcomes in a span with links to those of their attempts. */
const recorded = <A, E>(ended: ReadonlyArray<Ended<Running, AttemptOutcome>>, record: Effect.Effect<A, E>) =>
  ended.length === 0
    ? record
    : tracedWork(
        () => ({
          name: "record messages",
          kind: "internal",
          attributes: {
            "messaging.system": "petstore",
            "messaging.operation.name": "record",
            "messaging.operation.type": "settle",
            "messaging.destination.name": "messages",
            "messaging.batch.message_count": ended.length
          },
          causes: ended.map(({ item }) => item.span)
        }),
        () => record
      )
