/** The record of a resource, as reads and lists add it to the resource if they are asked for it. */

import * as Schema from "effect/Schema"
import { type OrderState, orderStatesWhere } from "../orders/OrderState.ts"
import type { Page } from "../Page.ts"
import { Timestamp } from "../Timestamp.ts"
import { Metadata } from "./ResourceRecord.ts"

/** What reads and lists can add to a resource. */
const Included = Schema.Literal("record")

/** The field of filters that asks for it. */
export const includeField = { include: Schema.optionalKey(Included) }

/** What a read is asked to add to a resource; undefined for nothing. */
export type Include = typeof Included.Type | undefined

/** Asks for what is recorded about a resource. */
export interface IncludeOption<I extends Include = Include> {
  /** `record` adds the record of each resource: its times, its external id and its metadata. */
  readonly include?: I
}

const fields = {
  createdAt: Timestamp,
  updatedAt: Timestamp,
  externalId: Schema.optionalKey(Schema.String),
  metadata: Metadata
}

/** The record in a pet or category. */
export const IncludedRecord = Schema.Struct(fields).annotate({ identifier: "IncludedRecord" })
/** The record of a resource, without the id that the resource itself has. */
export interface IncludedRecord<M extends Metadata = Metadata> {
  readonly createdAt: string
  /** When the resource or its record last changed. The stock of a pet is not part of either. */
  readonly updatedAt: string
  readonly externalId?: string
  readonly metadata: M
}

/** Whom an order belongs to. */
export const OrderOwner = Schema.Struct({
  accountId: Schema.Int,
  user: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "OrderOwner" })
/** Whom an order belongs to: an account, or a user of your app, whose account is 0 unless several users share one. */
export interface OrderOwner extends Schema.Schema.Type<typeof OrderOwner> {}

/** How an order ended that was cancelled or expired. */
export const OrderEnding = Schema.Struct({
  at: Timestamp,
  actor: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "OrderEnding" })
/** How an order ended that was cancelled or expired. */
export interface OrderEnding {
  readonly at: string
  /** Who ended it, as in the ledger. Absent for callers who do not see owners. */
  readonly actor?: string
  /** What the caller who cancelled it has said. */
  readonly reason?: string
}

/** The record in an order. */
export const IncludedOrderRecord = Schema.Struct({
  ...fields,
  state: Schema.Literals(orderStatesWhere(() => true)),
  expiresAt: Schema.optionalKey(Timestamp),
  owner: Schema.optionalKey(OrderOwner),
  ended: Schema.optionalKey(OrderEnding)
}).annotate({ identifier: "IncludedOrderRecord" })
/** The record of an order, with what the order itself does not show. */
export interface IncludedOrderRecord<M extends Metadata = Metadata> extends IncludedRecord<M> {
  readonly state: OrderState
  /** When an open order expires, unless it is completed before. */
  readonly expiresAt?: string
  /** Absent if the owner of the store placed it, for a user of your app, and for an API key without the scope `orders:owners`. */
  readonly owner?: OrderOwner
  /** Only of an order that was cancelled or expired. */
  readonly ended?: OrderEnding
}

/** A resource, with its record if that was asked for. */
export type Shown<A, R, I extends Include> = I extends "record" ? A & { readonly record: R } : A

/** A page of resources, with their records if these were asked for. */
export type ShownPage<A, R, I extends Include> = I extends "record" ? Page<A & { readonly record: R }> : Page<A>
