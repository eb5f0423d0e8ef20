import * as Effect from "effect/Effect"
import type { Page } from "../../domain/Page.ts"
import {
  type DeliveriesRequeued,
  type Delivery,
  type DeliveryRequeue,
  type DeliverySearch,
  type DeliveryWithAttempts,
  toAttempt
} from "../../domain/webhooks/Delivery.ts"
import { allDeliveriesBy, allDeliveriesReversedBy, deliveries as table } from "../../tables/index.ts"
import type { DeliveryRecord } from "../../tables/webhookTables.ts"
import type { Acting, Reading } from "../Call.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions } from "../Options.ts"
import { directionOf, pageOf } from "../pagination.ts"
import { requeueDeliveries } from "./redeliver.ts"

/**
 * The methods of `petstore.deliveries`: what was delivered to all endpoints.
 *
 * @experimental
 */
export interface DeliveryMethods<Options extends CallOptions = CallOptions> {
  /** Reads a delivery and its latest attempts, at most 10. Fails with `not_found`. */
  get(deliveryId: number, options?: Options): Promise<DeliveryWithAttempts>
  /**
   * Lists one page of the deliveries to all endpoints, in ascending order of ids. With `type`, or with `status` and `subject`, it
   * searches at most 1,000 deliveries: only a page without `next` is the last.
   */
  list(query?: DeliverySearch, options?: Options): Promise<Page<Delivery>>
  /** Iterates over all deliveries, a page at a time. */
  all(query?: DeliverySearch, options?: Options): AsyncIterable<Delivery>
  /**
   * Schedules all failed deliveries for immediate sending, the oldest first, except for those whose events are no longer kept. A call
   * covers 100: pass its `next` as `after` until it is absent, so that each is scheduled once even if it fails again meanwhile. Fails
   * with `not_found` for an unknown `webhookId`.
   */
  requeueAll(requeue: DeliveryRequeue, options?: Options): Promise<DeliveriesRequeued>
}

export const deliveryQueries = {
  *get({ rows }: Reading, id: number) {
    const { delivery, latestAttempts = [] } = (yield* rows.find(table, id)) ?? (yield* notFound("delivery", id))
    return { ...delivery, latestAttempts: latestAttempts.map(toAttempt) }
  },

  *list({ rows }: Reading, { status, subject, type, ...query }: DeliverySearch = {}) {
    const { by, sort, start } = directionOf(query.sort, allDeliveriesBy, allDeliveriesReversedBy)
    const isSearched = type !== undefined || (status !== undefined && subject !== undefined)
    return yield* pageOf(query, {
      list: "all deliveries",
      filters: { status, subject, type, sort },
      start,
      rows: (after, limit) => rows.all(by, { status, subject, after }, limit),
      position: ({ delivery }) => delivery.id,
      item: ({ delivery }) => delivery,
      selects: isSearched
        ? ({ delivery }: DeliveryRecord) =>
            (type ?? delivery.type) === delivery.type && (status ?? delivery.status) === delivery.status
        : undefined
    })
  }
}

/** What wakes deliveries. */
export const deliveryActions = {
  requeueAll: ({ submit, wakes }: Acting, requeue: DeliveryRequeue) =>
    Effect.tap(
      submit((call) => requeueDeliveries(call, requeue)),
      wakes.wakeAll
    )
}
