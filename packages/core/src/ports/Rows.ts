import type { Storage } from "./Storage.ts"

/** The part of a {@link Storage} that reads and writes rows. */
export type Rows = Pick<
  Storage["Service"],
  | "pets"
  | "categories"
  | "orders"
  | "movements"
  | "events"
  | "checkpoints"
  | "messages"
  | "accounts"
  | "apiKeys"
  | "idempotency"
  | "imports"
  | "consumers"
  | "parkedEvents"
  | "webhooks"
  | "deliveries"
>
