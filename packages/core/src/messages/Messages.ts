import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { type MessageAlreadyDelivered, NotFound } from "../domain/errors/RequestErrors.ts"
import type { Page } from "../domain/Page.ts"
import { fail, orFail } from "../engine/Command.ts"
import { newEvent } from "../events/Event.ts"
import { Idempotency, type IdempotencyError } from "../idempotency/Idempotency.ts"
import { map } from "../ports/Direct.ts"
import { Storage } from "../ports/Storage.ts"
import { Commands } from "../services/Commands.ts"
import { found } from "../services/found.ts"
import type { CallOptions, CreateOptions } from "../services/Options.ts"
import { paginate } from "../services/pagination.ts"
import type { UseCases } from "../services/UseCases.ts"
import { messagesBy, messages as table } from "../tables/index.ts"
import type { Message, MessageFilter, MessageWithDelivery } from "./Message.ts"
import { type MessageRecord, queued, requeue, toMessage } from "./MessageState.ts"

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
>()("@petstore/core/messages/Messages") {
  static readonly layer = Layer.effect(
    Messages,
    Effect.gen(function* () {
      const storage = yield* Storage
      const { run } = yield* Commands
      const idempotency = yield* Idempotency

      return {
        enqueue: (text, options) =>
          idempotency.once("messages.enqueue", { message: text }, options, function* (call) {
            const at = call.now()
            const record = queued(call.newId("msg"), text, at, call.trace)
            call.tx.add(table, record)
            const message = toMessage(record)
            call.record(at, [newEvent("message.queued", message)])
            return message
          }),

        get: (id) => map(found("message", id, storage.find(table, id)), toMessage),

        list: ({ status, ...query } = {}) =>
          paginate(
            query,
            { list: "messages", filters: { status }, start: "", position: ({ id }: MessageRecord) => id },
            (after, limit) =>
              status === undefined
                ? storage.scan(table, [after], limit)
                : storage.select(messagesBy, { status, after }, limit),
            toMessage
          ),

        requeue: (id) =>
          run("messages.requeue", function* (call) {
            const record = yield* call.tx.lock(table, id)
            if (record === undefined) return yield* fail(NotFound.of("message", id))
            const at = call.now()
            const after = yield* orFail(requeue(record, at, call.trace))
            if (after === record) return toMessage(record)
            const message = toMessage(after)
            call.tx.save(table, after)
            call.record(at, [newEvent("message.queued", message)])
            return message
          })
      }
    })
  )
}
