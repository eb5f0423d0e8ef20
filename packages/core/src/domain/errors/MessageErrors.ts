import { failure } from "./PetstoreError.ts"

/** A delivered message cannot be queued again. */
export class MessageAlreadyDelivered extends failure(
  "MessageAlreadyDelivered",
  "message_already_delivered",
  409,
  ({ messageId }: { readonly messageId: string }) =>
    `Message ${messageId} is delivered. To deliver its text again, queue a new message.`
) {}
