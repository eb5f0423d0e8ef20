import * as Result from "effect/Result"
import { newEvent } from "../../domain/events/Event.ts"
import { limits } from "../../domain/limits.ts"
import type {
  Message,
  MessageFilter,
  MessageRequeue,
  MessagesRequeued,
  MessageWithDelivery
} from "../../domain/messages/Message.ts"
import { type MessageRecord, queued, requeue, toMessage } from "../../domain/messages/MessageState.ts"
import type { Page } from "../../domain/Page.ts"
import { orFail } from "../../kernel/Command.ts"
import { messagesBy, messagesReversedBy, messages as table } from "../../tables/index.ts"
import type { Call, Reading } from "../Call.ts"
import { once } from "../idempotency/once.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions, CreateOptions } from "../Options.ts"
import { pageOf } from "../pagination.ts"
import { removeMessage } from "./messageCommands.ts"

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
   * Queues a failed message again, with ten new attempts; a queued message stays as it is. Fails with `not_found`,
   * `message_already_delivered`.
   */
  requeue(messageId: string, options?: Options): Promise<MessageWithDelivery>
  /**
   * Queues all failed messages again, the oldest first. A call covers 100: pass its `next` as `after` until it is absent, so that
   * each is queued once even if it fails again meanwhile.
   * @beta
   */
  requeueAll(requeue: MessageRequeue, options?: Options): Promise<MessagesRequeued>
  /**
   * Deletes a message, whatever its status: it is not delivered any more, except by endpoints that receive its event. Fails with
   * `not_found`.
   * @beta
   */
  delete(messageId: string, options?: CreateOptions & Options): Promise<void>
}

/** Behind every id of a message. */
const lastOfAll = "msg_~"

export const messageQueries = {
  *get({ rows }: Reading, id: string) {
    return toMessage((yield* rows.find(table, id)) ?? (yield* notFound("message", id)))
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

/** Saves a locked message that is queued again. */
const saveRequeued = (call: Call, record: MessageRecord, at: string) => {
  const message = toMessage(record)
  call.tx.save(table, record)
  call.record(at, [newEvent("message.queued", message)])
  return message
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
    const record = (yield* call.tx.lock(table, id)) ?? (yield* notFound("message", id))
    const at = call.now()
    const after = yield* orFail(requeue(record, at, call.trace))
    return after === record ? toMessage(record) : saveRequeued(call, after, at)
  },

  *requeueAll(call: Call, { after = "", status }: MessageRequeue) {
    const rows = yield* call.tx.all(messagesBy, { status, after }, limits.requeues + 1)
    const ids = rows.slice(0, limits.requeues).map(({ id }) => id)
    const locked = yield* call.tx.lockAll(table, ids)
    const at = call.now()
    let requeued = 0
    for (const record of locked.values()) {
      const after = record.status === status ? requeue(record, at, call.trace) : undefined
      if (after === undefined || Result.isFailure(after)) continue
      saveRequeued(call, after.success, at)
      requeued++
    }
    const last = ids.at(-1)
    return { requeued, ...(rows.length > ids.length && last !== undefined ? { next: last } : {}) }
  },

  *delete(call: Call, id: string, options?: CreateOptions) {
    yield* once(call, "messages.delete", options, () => ({ id }))
    const record = (yield* call.tx.lock(table, id)) ?? (yield* notFound("message", id))
    removeMessage(call, record, call.now())
    return { id }
  }
}
