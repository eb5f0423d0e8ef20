import * as Schema from "effect/Schema"
import { integer } from "../Id.ts"
import { limits } from "../limits.ts"
import type { MethodInputs } from "../MethodInput.ts"
import { ListQuery } from "../PageQuery.ts"
import { matches, prose } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"

/** `msg_` and a suffix that sorts by time. */
export const MessageId = Schema.String.check(matches(/^msg_[0-9a-z]{1,60}$/, "Expected a message id"))

/** `queued` until it is delivered, or has failed. A failed message can be queued again. */
export const MessageStatus = Schema.Literals(["queued", "delivered", "failed"]).annotate({
  identifier: "MessageStatus"
})
export type MessageStatus = typeof MessageStatus.Type

/** The input of a new message. */
export const NewMessage = Schema.Struct({ message: prose(1, limits.message) }).annotate({ identifier: "NewMessage" })
export interface NewMessage extends Schema.Schema.Type<typeof NewMessage> {}

/** A message as it was queued. */
export const Message = Schema.Struct({
  id: MessageId,
  message: Schema.String,
  status: MessageStatus,
  createdAt: Timestamp
}).annotate({ identifier: "Message" })
export interface Message extends Schema.Schema.Type<typeof Message> {}

/** A message, and how its delivery goes. What there is nothing to say about yet is absent. */
export const MessageWithDelivery = Schema.Struct({
  ...Message.fields,
  /** How many attempts at delivery have begun since the message was last queued. Absent before the first. */
  attempts: Schema.optionalKey(integer(1, limits.id)),
  /** When the next attempt begins, if the last one failed. */
  nextAttemptAt: Schema.optionalKey(Timestamp),
  deliveredAt: Schema.optionalKey(Timestamp),
  failedAt: Schema.optionalKey(Timestamp),
  /** Why the last attempt failed. Absent once the message is delivered. */
  lastError: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "MessageWithDelivery" })
export interface MessageWithDelivery extends Schema.Schema.Type<typeof MessageWithDelivery> {}

/** Which messages to list. */
export const MessageFilter = Schema.Struct({ ...ListQuery.fields, status: Schema.optionalKey(MessageStatus) })
export interface MessageFilter extends Schema.Schema.Type<typeof MessageFilter> {}

/** Which messages to queue again. */
export const MessageRequeue = Schema.Struct({
  status: Schema.Literal("failed"),
  /** Only messages after this one. Default: all, from the oldest. */
  after: Schema.optionalKey(MessageId)
}).annotate({ identifier: "MessageRequeue" })
export interface MessageRequeue extends Schema.Schema.Type<typeof MessageRequeue> {}

/** How many messages a call of `requeueAll` has queued again, and where to continue. */
export const MessagesRequeued = Schema.Struct({
  /** The number of messages. */
  requeued: integer(0, limits.requeues),
  /** The last message that was looked at, if there may be more: continue with it as `after`. */
  next: Schema.optionalKey(MessageId)
}).annotate({ identifier: "MessagesRequeued" })
export interface MessagesRequeued extends Schema.Schema.Type<typeof MessagesRequeued> {}

/** What the methods of `messages` take. */
export const messageInputs = {
  enqueue: { body: NewMessage, field: "message", options: { idempotencyKey: true } },
  get: { path: { messageId: MessageId }, errors: ["not_found"] },
  list: { query: MessageFilter },
  requeue: { path: { messageId: MessageId }, errors: ["not_found", "message_already_delivered"] },
  requeueAll: { body: MessageRequeue },
  delete: { path: { messageId: MessageId }, options: { idempotencyKey: true }, errors: ["not_found"] }
} as const satisfies MethodInputs
