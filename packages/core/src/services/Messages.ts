import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newEvent } from "../domain/Event.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { NotFound } from "../domain/errors/RequestErrors.ts"
import type { PageQuery } from "../domain/Filters.ts"
import { Message, type NewMessage } from "../domain/Message.ts"
import type { Page } from "../domain/Page.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Idempotency, type IdempotencyError } from "./Idempotency.ts"
import { Journal } from "./Journal.ts"
import type { Created, CreateOptions } from "./Options.ts"
import { paginate } from "./pagination.ts"

/** The use cases of the durable message queue. Inputs are decoded already. */
export class Messages extends Context.Service<
  Messages,
  {
    readonly enqueue: (
      input: NewMessage,
      options?: CreateOptions
    ) => Effect.Effect<Created<Message>, IdempotencyError | StorageError>
    readonly get: (id: string) => Effect.Effect<Message, NotFound | StorageError>
    readonly list: (query?: PageQuery) => Effect.Effect<Page<Message>, InvalidCursor | StorageError>
  }
>()("@petstore/core/services/Messages") {
  static readonly layer = Layer.effect(
    Messages,
    Effect.gen(function* () {
      const { messages } = yield* Storage
      const idempotency = yield* Idempotency
      const journal = yield* Journal

      return {
        enqueue: (input, options) =>
          idempotency.once(
            "messages.enqueue",
            input,
            Message,
            options,
            Effect.gen(function* () {
              const id = yield* journal.nextId("msg")
              const at = yield* journal.now
              const message: Message = { id, message: input.message, status: "queued", createdAt: at }
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
