import { adds, breaks, type Change, type Schema } from "./Change.ts"
import type { Resolver } from "./resolver.ts"

/** Whether clients send the value or read it: what narrows the one widens the other. */
export type Direction = "sent" | "read"

type SchemaOrReference = Schema | { readonly $ref: string }

const lowerBounds = ["minimum", "minLength", "minItems"] as const
const upperBounds = ["maximum", "maxLength", "maxItems"] as const
/** Keywords that are not looked into: any difference may break. */
const opaque = ["type", "format", "allOf", "anyOf", "oneOf", "not", "exclusiveMinimum", "exclusiveMaximum"] as const
/** Keywords that can only narrow. */
const narrowing = ["pattern", "uniqueItems", "readOnly"] as const

type Compared<A> = { readonly before: A; readonly after: A }

const say = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value))

const changed = (keyword: string, { before, after }: Compared<unknown>): string =>
  `${keyword} was ${say(before)}, is ${say(after)}`

/** A value that is sent may become freer, one that is read stricter; never the other way. */
const freerOrStricter = (where: string, what: string, freer: boolean, direction: Direction): Change =>
  freer === (direction === "sent") ? adds(where, what) : breaks(where, what)

const boundChanges = (where: string, direction: Direction, pair: Compared<Schema>): ReadonlyArray<Change> => {
  const compare = (keyword: (typeof lowerBounds | typeof upperBounds)[number], none: number) => {
    const before = pair.before[keyword] ?? none
    const after = pair.after[keyword] ?? none
    if (before === after) return []
    const freer = none < 0 ? after < before : after > before
    return [
      freerOrStricter(
        where,
        changed(keyword, { before: pair.before[keyword], after: pair.after[keyword] }),
        freer,
        direction
      )
    ]
  }
  return [
    ...lowerBounds.flatMap((keyword) => compare(keyword, Number.NEGATIVE_INFINITY)),
    ...upperBounds.flatMap((keyword) => compare(keyword, Number.POSITIVE_INFINITY))
  ]
}

const keywordChanges = (
  where: string,
  direction: Direction,
  { before, after }: Compared<Schema>
): ReadonlyArray<Change> => {
  const differing = (keyword: keyof Schema) => JSON.stringify(before[keyword]) !== JSON.stringify(after[keyword])
  const text = (keyword: keyof Schema) => changed(keyword, { before: before[keyword], after: after[keyword] })
  return [
    ...opaque.filter(differing).map((keyword) => breaks(where, text(keyword))),
    ...narrowing.filter(differing).map((keyword) => {
      const replaced = before[keyword] !== undefined && after[keyword] !== undefined
      const freer = after[keyword] === undefined
      return replaced ? breaks(where, text(keyword)) : freerOrStricter(where, text(keyword), freer, direction)
    }),
    ...(differing("nullable") ? [freerOrStricter(where, text("nullable"), after.nullable === true, direction)] : [])
  ]
}

const enumChanges = (
  where: string,
  direction: Direction,
  { before, after }: Compared<Schema>
): ReadonlyArray<Change> => {
  const [had, has] = [before.enum, after.enum]
  if (had === undefined || has === undefined) {
    return had === has
      ? []
      : [freerOrStricter(where, changed("enum", { before: had, after: has }), has === undefined, direction)]
  }
  return [
    ...had
      .filter((value) => !has.includes(value))
      .map((value) => freerOrStricter(where, `the value ${say(value)} is gone`, false, direction)),
    ...has
      .filter((value) => !had.includes(value))
      .map((value) => freerOrStricter(where, `the value ${say(value)} is new`, true, direction))
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
      .map((field) => freerOrStricter(`${where} > ${field}`, "it is required now", false, direction)),
    ...had
      .filter((field) => !has.includes(field) && after.properties?.[field] !== undefined)
      .map((field) => freerOrStricter(`${where} > ${field}`, "it is not required any more", true, direction))
  ]
}

/** How two schemas differ for clients that send or read what they describe. Descriptions and examples do not count. */
export const compareSchemas = (
  where: string,
  direction: Direction,
  before: SchemaOrReference,
  after: SchemaOrReference,
  resolve: Compared<Resolver>
): ReadonlyArray<Change> => {
  const pair = { before: resolve.before.schema(before), after: resolve.after.schema(after) }
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
      ? [breaks(where, "unknown fields are refused now")]
      : []),
    ...Object.entries(fields).flatMap(([field, schema]) => {
      const now = fieldsNow[field]
      const place = `${where} > ${field}`
      return now === undefined ? [breaks(place, "it is gone")] : compareSchemas(place, direction, schema, now, resolve)
    }),
    ...Object.keys(fieldsNow)
      .filter((field) => !Object.hasOwn(fields, field))
      .map((field) => adds(`${where} > ${field}`, "it is new")),
    ...(items !== undefined && itemsNow !== undefined
      ? compareSchemas(`${where} > items`, direction, items, itemsNow, resolve)
      : [])
  ]
}
