import type { Storage } from "./Storage.ts"

/** All rows of a store. */
export type Rows = Pick<
  Storage["Service"],
  | "pets"
  | "categories"
  | "orders"
  | "movements"
  | "events"
  | "messages"
  | "accounts"
  | "apiKeys"
  | "idempotency"
  | "imports"
>
