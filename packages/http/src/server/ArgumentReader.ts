import { type Validated, type Violation, validator } from "@petstore/core/domain"
import { Result, SchemaAST } from "effect"
import { versionOf } from "../api/EntityTag.ts"
import type { Operation, PlainSchema } from "../api/operations.ts"
import type { Exchange } from "./Exchange.ts"
import { type EntityTags, parseEntityTags } from "./entityTags.ts"
import { type KnownParameters, readQuery } from "./queryString.ts"

/** What an operation is asked, decoded. */
export interface Arguments {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** The versions that `If-Match` names; undefined where any will do. */
  readonly ifVersion: ReadonlyArray<number> | undefined
  /** What the client has already, from `If-None-Match`. */
  readonly ifNoneMatch: EntityTags | undefined
}

const propertiesOf = (schema: PlainSchema): ReadonlyArray<SchemaAST.PropertySignature> => {
  const { ast } = schema
  if (!SchemaAST.isObjects(ast)) throw new TypeError("Parameters must be the fields of a struct")
  return ast.propertySignatures
}

const knownParameters = (schema: PlainSchema | undefined): KnownParameters =>
  new Map(
    (schema === undefined ? [] : propertiesOf(schema)).map(({ name, type }) => [
      String(name),
      SchemaAST.isArrays(SchemaAST.toEncoded(type)) ? "repeated" : "once"
    ])
  )

const pathParameters = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => segment.slice(1))

/** Reads all of what an operation is asked together, so that a refusal names everything that is wrong. */
export const argumentReader = (operation: Operation): ((exchange: Exchange, body: unknown) => Validated<Arguments>) => {
  const names = pathParameters(operation.path)
  const known = knownParameters(operation.query)
  const params = operation.params === undefined ? undefined : validator(operation.params)
  const query = operation.query === undefined ? undefined : validator(operation.query)
  const payload = operation.body === undefined ? undefined : validator(operation.body)
  const reading = operation.method === "GET"
  const { entityTag } = operation

  return (exchange, body) => {
    const violations: Array<Violation> = []
    const take = (validated: Validated<unknown> | undefined): unknown => {
      if (validated === undefined) return undefined
      if (Result.isSuccess(validated)) return validated.success
      violations.push(...validated.failure)
    }
    const tags = (header: "If-Match" | "If-None-Match"): EntityTags | undefined => {
      const sent = exchange.header(header.toLowerCase())
      if (sent === undefined) return undefined
      const parsed = parseEntityTags(sent)
      if (parsed === undefined) violations.push({ path: `/header/${header}`, message: "Expected entity tags, or *" })
      return parsed
    }

    const path = take(params?.("/path", Object.fromEntries(names.map((name, index) => [name, exchange.values[index]]))))
    const sentQuery = readQuery(exchange.query, known, violations)
    const parts = { params: path, query: take(query?.("/query", sentQuery)), body: take(payload?.("/body", body)) }
    const wanted = entityTag === undefined || reading ? undefined : tags("If-Match")
    const read: Arguments = {
      ...parts,
      ifVersion:
        wanted === undefined || wanted === "any" || entityTag === undefined
          ? undefined
          : wanted.map((tag) => versionOf(entityTag, tag)).filter((version) => version !== undefined),
      ifNoneMatch: entityTag !== undefined && reading ? tags("If-None-Match") : undefined
    }
    return violations.length === 0 ? Result.succeed(read) : Result.fail(violations)
  }
}
