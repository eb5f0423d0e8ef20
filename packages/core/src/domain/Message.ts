import * as Schema from "effect/Schema"
import { PageQuery } from "./Filters.ts"
import { limits } from "./limits.ts"
import type { MethodInputs } from "./MethodInput.ts"
import { matches, prose } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** `msg_` and a suffix that sorts by time. */
export const MessageId = Schema.String.check(matches(/^msg_[0-9a-z]{1,60}$/, "Expected a message id"))

/** `queued` until it is delivered or delivery fails for good; see `plannedFor`. */
export const MessageStatus = Schema.Literals(["queued", "delivered", "failed"]).annotate({
  identifier: "MessageStatus"
})
export type MessageStatus = typeof MessageStatus.Type

/** The input of a new message. */
export const NewMessage = Schema.Struct({ message: prose(1, limits.message) }).annotate({ identifier: "NewMessage" })
export interface NewMessage extends Schema.Schema.Type<typeof NewMessage> {}

/** A message of the durable queue. */
export const Message = Schema.Struct({
  id: MessageId,
  message: Schema.String,
  status: MessageStatus,
  createdAt: Timestamp
}).annotate({ identifier: "Message" })
export interface Message extends Schema.Schema.Type<typeof Message> {}

/** What the methods of `messages` take. */
export const messageInputs = {
  enqueue: { body: NewMessage, field: "message", option: "idempotencyKey" },
  get: { path: { messageId: MessageId } },
  list: { query: PageQuery }
} as const satisfies MethodInputs
