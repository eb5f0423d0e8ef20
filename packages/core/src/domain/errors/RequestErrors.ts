import { failure } from "./PetstoreError.ts"

/** The route or resource does not exist, or was deleted. */
export class NotFound extends failure(
  "NotFound",
  "not_found",
  404,
  ({ id, kind }: { readonly kind?: string; readonly id?: number | string; readonly externalId?: string }) =>
    kind === undefined ? "Not found." : `There is no ${kind} ${id}.`
) {
  static of(kind: string, id: number | string): NotFound {
    return new NotFound({ kind, id })
  }
}

/** The path does not support this method. Use one from the `Allow` header. */
export class MethodNotAllowed extends failure(
  "MethodNotAllowed",
  "method_not_allowed",
  405,
  ({ allow }: { readonly allow: ReadonlyArray<string> }) =>
    `This path does not support the method. Use ${allow.join(", ")}.`
) {}

/** No path supports this method. Use one of HTTP. */
export class MethodNotImplemented extends failure(
  "MethodNotImplemented",
  "method_not_implemented",
  501,
  () => "This server knows no such method. Methods are in capital letters, such as GET."
) {}

/** The operation has been removed. `details` has its successor. */
export class OperationSunset extends failure(
  "OperationSunset",
  "operation_sunset",
  410,
  ({ sunset, successor }: { readonly sunset: string; readonly successor: string }) =>
    `This operation was removed on ${sunset}. Use ${successor}.`
) {}

/** The events after this position are no longer kept. `details.earliest` is the `seq` of the first event that is. */
export class CursorExpired extends failure(
  "CursorExpired",
  "cursor_expired",
  410,
  ({ earliest }: { readonly earliest: number }) =>
    `The events before ${earliest} are no longer kept. To continue with the first one that is, read after ${earliest - 1}.`
) {}

/** The resource has changed. Read it again. */
export class PreconditionFailed extends failure(
  "PreconditionFailed",
  "precondition_failed",
  412,
  () => "The resource has changed since that version. Read it again."
) {}

/** The first request with this key is still running. Retry after a second. */
export class IdempotencyInProgress extends failure(
  "IdempotencyInProgress",
  "idempotency_in_progress",
  409,
  () => "A request with this idempotency key is still running. Retry it after a second."
) {}

/** The key was used for a different request. Use a new key. */
export class IdempotencyKeyReused extends failure(
  "IdempotencyKeyReused",
  "idempotency_key_reused",
  422,
  () => "This idempotency key was used for a different request. Use a new key."
) {}

/** A delivered message cannot be queued again. */
export class MessageAlreadyDelivered extends failure(
  "MessageAlreadyDelivered",
  "message_already_delivered",
  409,
  ({ messageId }: { readonly messageId: string }) =>
    `Message ${messageId} is delivered. To deliver its text again, queue a new message.`
) {}
