import { Id, Order } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type EntityTagKind, versionOf } from "../api/EntityTag.ts"
import type { Operation, PlainSchema } from "../api/operations.ts"
import type { OperationId, OperationResult } from "../api/PetstoreHttpApi.ts"
import { ReceivedEvent } from "./events/ReceivedEvent.ts"
import { jsonDecoder } from "./jsonDecoder.ts"
import { nextCursor } from "./nextCursor.ts"
import { type RawResponse, readJson } from "./RawResponse.ts"

// The published schema of an order requires no field, because it is that of a new order too. Responses have these.
const OrderResponse = Schema.Struct({ ...Order.fields, id: Id, complete: Schema.Boolean })

const narrowed = {
  listOrders: Schema.Array(OrderResponse),
  placeOrder: OrderResponse,
  getOrder: OrderResponse,
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
      const next = nextCursor(response.headers.get("link"))
      if (next === "lost") return Result.fail("a link to the next page without a cursor")
      return Result.succeed(next === undefined ? { items } : { items, next: next.cursor })
    })
}

const withVersions = (kind: EntityTagKind, tag: string, value: Fields): Fields | undefined => {
  const version = versionOf(kind, tag)
  if (version === undefined) return undefined
  if (kind !== "pet+stock") return { ...value, version }
  return { ...value, version, inventory: { ...(value.inventory as Fields), version: versionOf("stock", tag) } }
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

/** Makes the decoder for the successes of one operation. */
export const responseDecoder = ({ entityTag, id, query, success }: Operation): ResponseDecoder => {
  if (success === undefined) return () => Result.succeed(undefined)
  const decode = bodyDecoder(schemas[id] ?? success)
  if (query !== undefined) return pageDecoder(decode)
  return entityTag === undefined ? decode : versionedDecoder(decode, entityTag)
}
