import * as Schema from "effect/Schema"

/** `queued` until it is delivered, or has failed. A failed message can be queued again. */
export const MessageStatus = Schema.Literals(["queued", "delivered", "failed"]).annotate({
  identifier: "MessageStatus"
})
export type MessageStatus = typeof MessageStatus.Type
