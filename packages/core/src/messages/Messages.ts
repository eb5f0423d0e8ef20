import type { Page } from "../domain/Page.ts"
import { orFail } from "../engine/Command.ts"
import { newEvent } from "../events/Event.ts"
import { once } from "../idempotency/once.ts"
import type { Call, Reading } from "../services/Call.ts"
import { found } from "../services/found.ts"
import type { CallOptions, CreateOptions } from "../services/Options.ts"
import { pageOf } from "../services/pagination.ts"
import { messagesBy, messagesReversedBy, messages as table } from "../tables/index.ts"
import type { Message, MessageFilter, MessageWithDelivery } from "./Message.ts"
import { queued, requeue, toMessage } from "./MessageState.ts"

/** The methods of `petstore.messages`: the durable queue of messages. */
export interface MessageMethods<Options extends CallOptions = CallOptions> {
  /** Adds a message to the queue. */
  enqueue(message: string, options?: CreateOptions & Options): Promise<Message>
  /** Reads a message. Fails with `not_found`. */
  get(messageId: string, options?: Options): Promise<MessageWithDelivery>
  /** Lists one page of messages, oldest first. */
  list(filter?: MessageFilter, options?: Options): Promise<Page<MessageWithDelivery>>
  /** Iterates over all messages, a page at a time. */
  all(filter?: MessageFilter, options?: Options): AsyncIterable<MessageWithDelivery>
  /**
   * Queues a failed message again, with all of its attempts; a queued message stays as it is. Fails with `not_found`,
   * `message_already_delivered`.
   */
  requeue(messageId: string, options?: Options): Promise<MessageWithDelivery>
}

/** Behind every id of a message. */
const lastOfAll = "msg_~"

/** What reads messages. */
export const messageQueries = {
  *get({ rows }: Reading, id: string) {
    return toMessage(yield* found("message", id, rows.find(table, id)))
  },

  *list({ rows }: Reading, { status, ...query }: MessageFilter = {}) {
    const isReversed = query.sort === "-id"
    return yield* pageOf(query, {
      list: "messages",
      filters: { status, sort: isReversed ? query.sort : undefined },
      start: isReversed ? lastOfAll : "",
      rows: (after, limit) => rows.all(isReversed ? messagesReversedBy : messagesBy, { status, after }, limit),
      position: ({ id }) => id,
      item: toMessage
    })
  }
}

/** The commands that change the queue. */
export const messageCommands = {
  *enqueue(call: Call, text: string, options?: CreateOptions) {
    yield* once(call, "messages.enqueue", options, () => ({ message: text }))
    const at = call.now()
    const record = queued(call.newId("msg"), text, at, call.trace)
    call.tx.add(table, record)
    const message = toMessage(record)
    call.record(at, [newEvent("message.queued", message)])
    return message
  },

  *requeue(call: Call, id: string) {
    const record = yield* found("message", id, call.tx.lock(table, id))
    const at = call.now()
    const after = yield* orFail(requeue(record, at, call.trace))
    if (after === record) return toMessage(record)
    const message = toMessage(after)
    call.tx.save(table, after)
    call.record(at, [newEvent("message.queued", message)])
    return message
  }
}
