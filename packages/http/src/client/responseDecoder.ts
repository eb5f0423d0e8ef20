import { Event, EventType, Id, IncludedOrderRecord, Order } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type EntityTagKind, versionOf } from "../api/EntityTag.ts"
import type { PlainSchema } from "../api/operation.ts"
import type { OperationId, OperationResult } from "../api/operations.ts"
import { isList, type Operation } from "../api/operations.ts"
import { parseTotal } from "../api/parameters.ts"
import { nextCursor } from "./nextCursor.ts"
import { jsonDecoder, type RawResponse, readJson, readJsonText } from "./RawResponse.ts"

const known: ReadonlySet<string> = new Set(EventType.literals)

/** An event of a type that this version of the client does not know. */
const NewerEvent = Schema.Struct({
  id: Schema.String,
  type: Schema.String.check(Schema.makeFilter((type: string) => !known.has(type) || "Expected the data of this type")),
  timestamp: Schema.String,
  seq: Schema.Int,
  subject: Schema.String,
  data: Schema.Record(Schema.String, Schema.Unknown)
})

/** An event as a server sends it: a newer one may send types that this version of the client does not know. */
const ReceivedEvent = Schema.Union([...Event.members, NewerEvent])

const decode = jsonDecoder(ReceivedEvent)

/** The event in the data of a frame of Server-Sent Events, or what was found instead. */
export const readEvent = (data: string): Result.Result<unknown, string> => Result.flatMap(readJsonText(data), decode)

// The published schema of an order requires no field, because it is that of a new order too. Responses have these.
const OrderResponse = Schema.Struct({ ...Order.fields, id: Id, complete: Schema.Boolean })
const ShownOrderResponse = Schema.Struct({ ...OrderResponse.fields, record: Schema.optionalKey(IncludedOrderRecord) })

const narrowed = {
  listOrders: Schema.Array(ShownOrderResponse),
  placeOrder: OrderResponse,
  placeOrders: Schema.Array(OrderResponse),
  getOrder: ShownOrderResponse,
  updateOrder: OrderResponse
} satisfies { readonly [id in OperationId]?: PlainSchema }

/** The decoded body of a response. */
export type DecodedBody<Id extends OperationId> = Id extends keyof typeof narrowed
  ? (typeof narrowed)[Id]["Type"]
  : OperationResult<Id>

const schemas: { readonly [id in OperationId]?: PlainSchema } = {
  ...narrowed,
  listEvents: Schema.Array(ReceivedEvent)
}

/** Decodes a success, with its version or cursor, or describes what was found instead. */
export type ResponseDecoder = (response: RawResponse) => Result.Result<unknown, string>

type Fields = Readonly<Record<string, unknown>>

const bodyDecoder = (schema: PlainSchema): ResponseDecoder => {
  const decode = jsonDecoder(schema)
  return (response) => Result.flatMap(readJson(response), decode)
}

const pageDecoder = (decode: ResponseDecoder): ResponseDecoder => {
  return (response) =>
    Result.flatMap(decode(response), (items) => {
      const next = nextCursor(response.headers.get("link") ?? "")
      if (Result.isFailure(next)) return Result.fail(next.failure)
      const header = response.headers.get("total-count")
      const total = header === null ? undefined : parseTotal(header)
      if (header !== null && total === undefined) return Result.fail(`the Total-Count ${header}`)
      const counted = total === undefined ? { items } : { items, total }
      return Result.succeed(next.success === undefined ? counted : { ...counted, next: next.success })
    })
}

const withVersions = (kind: EntityTagKind, tag: string, value: Fields): Fields | undefined => {
  const version = versionOf(kind, tag)
  if (version === undefined) return undefined
  if (kind !== "pet+stock") return { ...value, version }
  const { inventory, ...pet } = value
  return { ...pet, version, inventory: { ...(inventory as Fields), version: versionOf("stock", tag) } }
}

const versionedDecoder = (decode: ResponseDecoder, kind: EntityTagKind): ResponseDecoder => {
  return (response) =>
    Result.flatMap(decode(response), (value) => {
      // A proxy that compresses a response makes its tag a weak one.
      const tag = response.headers.get("etag")?.replace(/^W\//, "")
      if (tag === undefined) return Result.fail("no ETag")
      const versioned = withVersions(kind, tag, value as Fields)
      return versioned === undefined ? Result.fail(`the ETag ${tag}`) : Result.succeed(versioned)
    })
}

export const responseDecoder = (operation: Operation): ResponseDecoder => {
  const { entityTag, id, success } = operation
  if (success === undefined) return () => Result.succeed(undefined)
  const decode = bodyDecoder(schemas[id] ?? success)
  if (isList(operation)) return pageDecoder(decode)
  return entityTag === undefined ? decode : versionedDecoder(decode, entityTag)
}
