import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newEvent } from "../domain/Event.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { NotFound } from "../domain/errors/RequestErrors.ts"
import type { PageQuery } from "../domain/Filters.ts"
import { Message } from "../domain/Message.ts"
import type { Page } from "../domain/Page.ts"
import { Storage } from "../ports/Storage.ts"
import { Idempotency, type IdempotencyError } from "./Idempotency.ts"
import { Journal } from "./Journal.ts"
import type { CallOptions, CreateOptions } from "./Options.ts"
import { paginate } from "./pagination.ts"
import type { UseCases } from "./UseCases.ts"

/** The methods of `petstore.messages`: the durable queue of messages. */
export interface MessageMethods<Options extends CallOptions = CallOptions> {
  /** Adds a message to the queue. */
  enqueue(message: string, options?: CreateOptions & Options): Promise<Message>
  /** Reads a message. Fails with `not_found`. */
  get(messageId: string, options?: Options): Promise<Message>
  /** Lists one page of messages, oldest first. */
  list(query?: PageQuery, options?: Options): Promise<Page<Message>>
  /** Iterates over the messages of all pages. */
  all(query?: PageQuery, options?: Options): AsyncIterable<Message>
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
    }
  >
>()("@petstore/core/services/Messages") {
  static readonly layer = Layer.effect(
    Messages,
    Effect.gen(function* () {
      const { messages } = yield* Storage
      const idempotency = yield* Idempotency
      const journal = yield* Journal

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
              const message: Message = { id, message: text, status: "queued", createdAt: at }
              yield* messages.insert(message)
              yield* journal.record(at, [newEvent("message.queued", message)])
              return message
            })
          ),

        get: (id) =>
          Effect.flatMap(messages.find(id), (message) =>
            message === undefined ? Effect.fail(NotFound.of("message", id)) : Effect.succeed(message)
          ),

        list: (query = {}) =>
          paginate(
            query,
            { list: "messages", start: "", position: (message: Message) => message.id },
            messages.list,
            (message) => message
          )
      }
    })
  )
}
