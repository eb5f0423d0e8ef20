import { Id, Order } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { type EntityTagKind, versionOf } from "../api/EntityTag.ts"
import type { Operation, PlainSchema } from "../api/operations.ts"
import type { OperationId, OperationResult } from "../api/PetstoreHttpApi.ts"
import { nextCursor } from "./nextCursor.ts"
import { type RawAnswer, readJson } from "./RawAnswer.ts"

// The published schema requires no field of an order, since it is that of a new one too. One that is answered has these.
const AnsweredOrder = Schema.Struct({ ...Order.fields, id: Id, complete: Schema.Boolean })

const narrower = {
  listOrders: Schema.Array(AnsweredOrder),
  placeOrder: AnsweredOrder,
  getOrder: AnsweredOrder,
  updateOrder: AnsweredOrder
} satisfies { readonly [id in OperationId]?: PlainSchema }

/** What an operation answers, without versions and cursors. */
export type Answer<Id extends OperationId> = Id extends keyof typeof narrower
  ? (typeof narrower)[Id]["Type"]
  : OperationResult<Id>

const schemas: { readonly [id in OperationId]?: PlainSchema } = narrower

/** The value of a success, versions and cursors included; or what was found instead. */
export type AnswerDecoder = (answer: RawAnswer) => Result.Result<unknown, string>

type Fields = Readonly<Record<string, unknown>>

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const described = (issue: SchemaIssue.Issue): string =>
  format(issue)
    .issues.map(({ message, path = [] }) => `JSON of another shape, at /${path.map(String).join("/")}: ${message}`)
    .join(", ")

const bodyDecoder = (schema: PlainSchema): AnswerDecoder => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  return (answer) => Result.flatMap(readJson(answer), (json) => Result.mapError(decode(json), described))
}

const pageDecoder = (decode: AnswerDecoder): AnswerDecoder => {
  return (answer) =>
    Result.flatMap(decode(answer), (items) => {
      const next = nextCursor(answer.headers.get("link"))
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

const versionedDecoder = (decode: AnswerDecoder, kind: EntityTagKind): AnswerDecoder => {
  return (answer) =>
    Result.flatMap(decode(answer), (value) => {
      // Whoever compresses an answer on its way makes its tag a weak one.
      const tag = answer.headers.get("etag")?.replace(/^W\//, "")
      if (tag === undefined) return Result.fail("no ETag")
      const versioned = withVersions(kind, tag, value as Fields)
      return versioned === undefined ? Result.fail(`the ETag ${tag}`) : Result.succeed(versioned)
    })
}

/** Builds what reads the successes of one operation. */
export const answerDecoder = ({ entityTag, id, query, success }: Operation): AnswerDecoder => {
  if (success === undefined) return () => Result.succeed(undefined)
  const decode = bodyDecoder(schemas[id] ?? success)
  if (query !== undefined) return pageDecoder(decode)
  return entityTag === undefined ? decode : versionedDecoder(decode, entityTag)
}
