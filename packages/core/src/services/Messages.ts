import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newEvent } from "../domain/Event.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import type { MessageAlreadyDelivered } from "../domain/errors/MessageErrors.ts"
import { NotFound } from "../domain/errors/RequestErrors.ts"
import type { MessageFilter } from "../domain/Filters.ts"
import { Message, type MessageWithDelivery } from "../domain/Message.ts"
import { type MessageRecord, queued, requeue, toMessage } from "../domain/MessageState.ts"
import type { Page } from "../domain/Page.ts"
import { Storage } from "../ports/Storage.ts"
import { Idempotency, type IdempotencyError } from "./Idempotency.ts"
import { Journal } from "./Journal.ts"
import type { CallOptions, CreateOptions } from "./Options.ts"
import { paginate } from "./pagination.ts"
import { currentTraceparent } from "./tracing.ts"
import type { UseCases } from "./UseCases.ts"

/** The methods of `petstore.messages`: the durable queue of messages. */
export interface MessageMethods<Options extends CallOptions = CallOptions> {
  /** Adds a message to the queue. */
  enqueue(message: string, options?: CreateOptions & Options): Promise<Message>
  /** Reads a message. Fails with `not_found`. */
  get(messageId: string, options?: Options): Promise<MessageWithDelivery>
  /** Lists one page of messages, oldest first. */
  list(filter?: MessageFilter, options?: Options): Promise<Page<MessageWithDelivery>>
  /** Iterates over the messages of all pages. */
  all(filter?: MessageFilter, options?: Options): AsyncIterable<MessageWithDelivery>
  /**
   * Queues a failed message again, with all of its attempts; a queued message stays as it is. Fails with `not_found`,
   * `message_already_delivered`.
   */
  requeue(messageId: string, options?: Options): Promise<MessageWithDelivery>
}

/** The use cases of the durable message queue. Inputs are decoded already. */
export class Messages extends Context.Service<
  Messages,
  UseCases<
    MessageMethods,
    {
      enqueue: IdempotencyError
      get: NotFound
      list: InvalidCursor
      requeue: NotFound | MessageAlreadyDelivered
    }
  >
>()("@petstore/core/services/Messages") {
  static readonly layer = Layer.effect(
    Messages,
    Effect.gen(function* () {
      const { messages, transact } = yield* Storage
      const idempotency = yield* Idempotency
      const journal = yield* Journal

      const found = (id: string) => (record: MessageRecord | undefined) =>
        record === undefined ? Effect.fail(NotFound.of("message", id)) : Effect.succeed(record)

      return {
        enqueue: (text, options) =>
          idempotency.once(
            "messages.enqueue",
            { message: text },
            Message,
            options,
            Effect.gen(function* () {
              const id = yield* journal.nextId("msg")
              const at = yield* journal.now
              const record = queued(id, text, at, currentTraceparent())
              yield* messages.insert(record)
              const message = toMessage(record)
              yield* journal.record(at, [newEvent("message.queued", message)])
              return message
            })
          ),

        get: (id) => Effect.map(Effect.flatMap(messages.find(id), found(id)), toMessage),

        list: ({ status, ...query } = {}) =>
          paginate(
            query,
            { list: "messages", filters: { status }, start: "", position: ({ id }: MessageRecord) => id },
            (after, limit) => messages.list({ status, after, limit }),
            toMessage
          ),

        requeue: (id) =>
          transact(
            Effect.gen(function* () {
              const record = yield* Effect.flatMap(messages.lock(id), found(id))
              const at = yield* journal.now
              const after = yield* Effect.fromResult(requeue(record, at, currentTraceparent()))
              if (after === record) return toMessage(record)
              const message = toMessage(after)
              yield* messages.save(after)
              yield* journal.record(at, [newEvent("message.queued", message)])
              return message
            }),
            "messages.requeue"
          )
      }
    })
  )
}
