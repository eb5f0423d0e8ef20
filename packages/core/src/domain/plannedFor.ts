import type { EventType } from "./Event.ts"
import type { MessageStatus } from "./Message.ts"

/** Words that are published and stored already but that nothing produces yet, each with the release that brings it. */
export const plannedFor = {
  delivered: "0.2.0",
  failed: "0.2.0",
  "message.delivered": "0.2.0",
  "message.failed": "0.2.0"
} as const satisfies { readonly [Word in MessageStatus | EventType]?: string }
