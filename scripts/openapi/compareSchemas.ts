import type { OpenApi } from "@petstore/http/openapi"
import { breaking, type Change, compatible, type Header, type Parameter, type Response, type Schema } from "./Change.ts"

type Reference = { readonly $ref: string }

/** Resolves the references of one document. */
export interface Resolver {
  readonly schema: (schema: Schema | Reference) => Schema
  readonly parameter: (parameter: Parameter | Reference) => Parameter
  readonly header: (header: Header | Reference) => Header
  readonly response: (response: Response | Reference) => Response
}

const lookUp = <A extends object>(components: Readonly<Record<string, A>>) => {
  const find = (value: A | Reference): A => {
    if (!("$ref" in value)) return value
    const found = components[value.$ref.slice(value.$ref.lastIndexOf("/") + 1)]
    if (found === undefined) throw new Error(`No component at ${value.$ref}`)
    return found
  }
  return find
}

/** A reference with a description is wrapped in `allOf`: the schema is the same. */
const unwrapped = (schema: Schema | Reference): Schema | Reference => {
  if ("$ref" in schema) return schema
  const { allOf, description: _description, ...rest } = schema
  const [only, ...others] = allOf ?? []
  return only !== undefined && others.length === 0 && Object.keys(rest).length === 0 ? only : schema
}

export const resolver = ({ components }: OpenApi): Resolver => ({
  schema: (schema) => lookUp(components.schemas)(unwrapped(schema)),
  parameter: lookUp(components.parameters),
  header: lookUp(components.headers),
  response: lookUp(components.responses)
})

/** Whether clients send or read a value: what is compatible for one breaks the other. */
export type Direction = "sent" | "read"

type SchemaOrReference = Schema | { readonly $ref: string }

const lowerBounds = ["minimum", "minLength", "minItems"] as const
const upperBounds = ["maximum", "maxLength", "maxItems"] as const
/** Keywords of which any difference may break. */
const opaque = [
  "type",
  "format",
  "allOf",
  "anyOf",
  "oneOf",
  "discriminator",
  "not",
  "exclusiveMinimum",
  "exclusiveMaximum"
] as const
/** Keywords that can only narrow. */
const narrowing = ["pattern", "uniqueItems", "readOnly"] as const

type Compared<A> = { readonly before: A; readonly after: A }

const changed = (keyword: string, { before, after }: Compared<unknown>): string => {
  if (before === undefined) return `${keyword} ${JSON.stringify(after)} added`
  if (after === undefined) return `${keyword} ${JSON.stringify(before)} removed`
  return `${keyword} changed from ${JSON.stringify(before)} to ${JSON.stringify(after)}`
}

/** Values that are sent may be restricted less, values that are read more; the opposite breaks clients. */
const restriction = (where: string, what: string, looser: boolean, direction: Direction): Change =>
  looser === (direction === "sent") ? compatible(where, what) : breaking(where, what)

const boundChanges = (where: string, direction: Direction, pair: Compared<Schema>): ReadonlyArray<Change> => {
  const compare = (keyword: (typeof lowerBounds | typeof upperBounds)[number], none: number) => {
    const before = pair.before[keyword] ?? none
    const after = pair.after[keyword] ?? none
    if (before === after) return []
    const looser = none < 0 ? after < before : after > before
    return [
      restriction(
        where,
        changed(keyword, { before: pair.before[keyword], after: pair.after[keyword] }),
        looser,
        direction
      )
    ]
  }
  return [
    ...lowerBounds.flatMap((keyword) => compare(keyword, Number.NEGATIVE_INFINITY)),
    ...upperBounds.flatMap((keyword) => compare(keyword, Number.POSITIVE_INFINITY))
  ]
}

/** The texts that a pattern `^(?:one|other)$` consists of; undefined for another pattern. */
const choicesOf = (pattern = ""): ReadonlyArray<string> | undefined =>
  /^\^\(\?:([^()]+)\)\$$/.exec(pattern)?.[1]?.split("|")

/** Whether a pattern has all alternatives of another one. */
const hasAlternatives = (pattern: string | undefined, of: string | undefined): boolean => {
  const all = choicesOf(pattern)
  return all !== undefined && choicesOf(of)?.every((one) => all.includes(one)) === true
}

const keywordChanges = (
  where: string,
  direction: Direction,
  { before, after }: Compared<Schema>
): ReadonlyArray<Change> => {
  const differing = (keyword: keyof Schema) =>
    before[keyword] !== after[keyword] && JSON.stringify(before[keyword]) !== JSON.stringify(after[keyword])
  const text = (keyword: keyof Schema) => changed(keyword, { before: before[keyword], after: after[keyword] })
  return [
    ...opaque.filter(differing).map((keyword) => breaking(where, text(keyword))),
    ...narrowing.filter(differing).map((keyword) => {
      const isWider = keyword === "pattern" && hasAlternatives(after.pattern, before.pattern)
      const isNarrower = keyword === "pattern" && hasAlternatives(before.pattern, after.pattern)
      const replaced = before[keyword] !== undefined && after[keyword] !== undefined && !isWider && !isNarrower
      const looser = after[keyword] === undefined || isWider
      return replaced ? breaking(where, text(keyword)) : restriction(where, text(keyword), looser, direction)
    }),
    ...(differing("nullable") ? [restriction(where, text("nullable"), after.nullable === true, direction)] : [])
  ]
}

/** Whether a value is a type of event, to which minor versions add others: clients ignore those that they do not know. */
const isEventType = (value: unknown): boolean => typeof value === "string" && /^[a-zA-Z]+\.[a-z_]+$/.test(value)

const enumChanges = (
  where: string,
  direction: Direction,
  { before, after }: Compared<Schema>
): ReadonlyArray<Change> => {
  const [had, has] = [before.enum, after.enum]
  if (had === undefined || has === undefined) {
    return had === has
      ? []
      : [restriction(where, changed("enum", { before: had, after: has }), has === undefined, direction)]
  }
  return [
    ...had
      .filter((value) => !has.includes(value))
      .map((value) => restriction(where, `value ${JSON.stringify(value)} removed`, false, direction)),
    ...has
      .filter((value) => !had.includes(value))
      .map((value) =>
        restriction(where, `value ${JSON.stringify(value)} added`, true, isEventType(value) ? "sent" : direction)
      )
  ]
}

const requiredChanges = (
  where: string,
  direction: Direction,
  { before, after }: Compared<Schema>
): ReadonlyArray<Change> => {
  const [had, has] = [before.required ?? [], after.required ?? []]
  return [
    ...has
      .filter((field) => !had.includes(field))
      .map((field) => restriction(`${where} > ${field}`, "now required", false, direction)),
    ...had
      .filter((field) => !has.includes(field) && after.properties?.[field] !== undefined)
      .map((field) => restriction(`${where} > ${field}`, "no longer required", true, direction))
  ]
}

/** The alternatives of a schema by the value of their discriminator. */
const alternativesOf = ({
  discriminator
}: Schema): ReadonlyArray<readonly [value: string, schema: SchemaOrReference]> =>
  Object.entries(discriminator?.mapping ?? {}).map(([value, $ref]) => [value, { $ref }])

/**
 * The changes of a schema that has alternatives now. Clients ignore alternatives that they do not know. Each of them may
 * replace what was one schema before.
 */
const alternativeChanges = (
  where: string,
  direction: Direction,
  { before, after }: Compared<Schema>,
  resolve: Compared<Resolver>
): ReadonlyArray<Change> => {
  const had = new Map(alternativesOf(before))
  const has = alternativesOf(after)
  return [
    ...[...had.keys()]
      .filter((value) => !has.some(([now]) => now === value))
      .map((value) => breaking(`${where} > ${value}`, "removed")),
    ...has.flatMap(([value, schema]) => {
      const was = had.size === 0 ? before : had.get(value)
      const place = `${where} > ${value}`
      return was === undefined ? [compatible(place, "added")] : compareSchemas(place, direction, was, schema, resolve)
    })
  ]
}

/** The changes between two schemas, for clients that send or read their values. Descriptions and examples are ignored. */
export const compareSchemas = (
  where: string,
  direction: Direction,
  before: SchemaOrReference,
  after: SchemaOrReference,
  resolve: Compared<Resolver>
): ReadonlyArray<Change> => {
  const pair = { before: resolve.before.schema(before), after: resolve.after.schema(after) }
  if (pair.after.discriminator !== undefined) return alternativeChanges(where, direction, pair, resolve)
  const fields = pair.before.properties ?? {}
  const fieldsNow = pair.after.properties ?? {}
  const { items } = pair.before
  const itemsNow = pair.after.items
  return [
    ...keywordChanges(where, direction, pair),
    ...boundChanges(where, direction, pair),
    ...enumChanges(where, direction, pair),
    ...requiredChanges(where, direction, pair),
    ...(pair.before.additionalProperties !== false && pair.after.additionalProperties === false && direction === "sent"
      ? [breaking(where, "now rejects unknown fields")]
      : []),
    ...Object.entries(fields).flatMap(([field, schema]) => {
      const now = fieldsNow[field]
      const place = `${where} > ${field}`
      return now === undefined ? [breaking(place, "removed")] : compareSchemas(place, direction, schema, now, resolve)
    }),
    ...Object.keys(fieldsNow)
      .filter((field) => !Object.hasOwn(fields, field))
      .map((field) => compatible(`${where} > ${field}`, "added")),
    ...(items !== undefined && itemsNow !== undefined
      ? compareSchemas(`${where} > items`, direction, items, itemsNow, resolve)
      : [])
  ]
}
