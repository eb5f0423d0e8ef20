import * as Effect from "effect/Effect"
import type { Rows } from "../ports/Rows.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { type DeliveryRecord, deliveriesOfEvents } from "../webhooks/webhookTables.ts"
import { beforeAll } from "./pages.ts"

const pageSize = 100

/** Reads the deliveries of an endpoint in the order of their events, a few at a time. */
export class DeliveryCursor {
  readonly webhookId: number
  private readonly rows: Rows
  private page: ReadonlyArray<DeliveryRecord> = []
  private place = 0
  private after = beforeAll
  private isWhole = false

  constructor(rows: Rows, webhookId: number) {
    this.rows = rows
    this.webhookId = webhookId
  }

  /** The delivery that it is at; undefined before the first {@link advance} and behind the last one. */
  get next(): DeliveryRecord | undefined {
    return this.page[this.place]
  }

  /** Goes to the next delivery. */
  readonly advance: Effect.Effect<void, StorageError> = Effect.suspend(() => {
    this.place++
    if (this.isWhole || this.place < this.page.length) return Effect.void
    return Effect.map(
      this.rows.select(deliveriesOfEvents, { webhookId: this.webhookId, after: this.after }, pageSize),
      (page) => {
        this.page = page
        this.place = 0
        this.isWhole = page.length < pageSize
        this.after = page.at(-1)?.delivery.seq ?? this.after
      }
    )
  })
}
