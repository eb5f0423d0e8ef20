import { failure } from "./PetstoreError.ts"

/** A bug or a fault in the petstore. Nothing was changed. The cause is in the log only. */
export class InternalError extends failure(
  "InternalError",
  "internal_error",
  500,
  () => "Internal error. Nothing was changed. The log has the cause."
) {}

/** Another writer held the database for too long. Nothing was committed. */
export class StorageBusy extends failure(
  "StorageBusy",
  "storage_busy",
  503,
  () => "The store is busy. Nothing was changed; try again."
) {}

/** No room to write. Nothing was committed; reading still works. */
export class StorageFull extends failure(
  "StorageFull",
  "storage_full",
  503,
  () => "The store has no room left. Nothing was changed; free some space and try again."
) {}

/** The store can no longer be written to: its disk fails, or its files were deleted or replaced. Nothing was committed. */
export class StorageUnavailable extends failure(
  "StorageUnavailable",
  "storage_unavailable",
  503,
  () => "The store cannot be written to. Nothing was changed; the reason is in the log."
) {}

/** Too many requests are waiting. Nothing was committed; retry. */
export class Overloaded extends failure(
  "Overloaded",
  "overloaded",
  503,
  () => "Too many requests are waiting. Nothing was changed; try again."
) {}

/** The server or the petstore is closing. Nothing was committed. */
export class ShuttingDown extends failure(
  "ShuttingDown",
  "shutting_down",
  503,
  () => "The petstore is closed or closing. Nothing was changed."
) {}

/** The request waited too long for its turn. Nothing was committed; retry. */
export class RequestTimeout extends failure(
  "RequestTimeout",
  "request_timeout",
  503,
  () => "The request waited too long. Nothing was changed; try again."
) {}

/** The URL or a secret of a webhook is encrypted, and cannot be decrypted with the keys of this petstore. Nothing was sent or changed. */
export class SecretUnreadable extends failure(
  "SecretUnreadable",
  "secret_unreadable",
  503,
  ({ webhookId }: { readonly webhookId: number }) =>
    `The URL or secret of webhook ${webhookId} cannot be decrypted with the keys of this petstore. Nothing was sent or changed. Start it with the key that encrypted them.`
) {}

/** The outcome is unknown: the store failed while it was making the change durable. */
export class CommitUnknown extends failure(
  "CommitUnknown",
  "commit_unknown",
  503,
  () =>
    "It is not known whether the change was made. Repeat the call with the same idempotency key. If it had none, read the resource, then decide."
) {}
