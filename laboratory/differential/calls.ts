import { inputOf, methodInputs, type OperationName } from "@petstore/core/domain"
import { type Arbitrary, all, array, flatMap, map, schema } from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { int } from "../../packages/core/testing/src/combine.ts"

/** A call of a method. Its ids count the resources of their kind in the order in which they appear. */
export interface Call {
  readonly method: OperationName
  readonly input: ReadonlyArray<unknown>
  readonly options?: Readonly<Record<string, unknown>>
}

/** A call alone, or several in one transaction. */
export type Step = ReadonlyArray<Call>

/** How often methods of a group are called; once if it is absent. */
const weights: Readonly<Record<string, number>> = { orders: 4, inventory: 3, pets: 3, categories: 2, records: 2 }

/** A few values for each field, so that calls affect each other. A text that is none of them stays as it is. */
const numbers: Readonly<Record<string, (given: number) => number>> = {
  delta: (given) => given % 5,
  quantity: (given) => given % 7,
  graceSeconds: (given) => given
}
const texts: Readonly<Record<string, ReadonlyArray<string>>> = {
  cursor: ["next"],
  expiresAt: ["2030-01-05T12:00:00+01:00"],
  externalId: ["a", "A", " é", "b/c"],
  name: ["Dogs", "DOGS", "Rex", " ré "],
  shipDate: ["2030-01-05T12:00:00+01:00", "2029-12-31T00:00:00Z"],
  subject: ["pets/1", "orders/1"],
  url: ["https://hooks.example.com/1", "https://hooks.example.com/2"]
}

const few = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => few(item, name))
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, few(inner, key)]))
  }
  if (name === "messageId") return 1 + (String(value).length % 5)
  if (typeof value === "number") return numbers[name]?.(value) ?? 1 + (value % 3)
  const { [name]: some = [] } = texts
  return typeof value === "string" ? (some[value.length % (some.length + 1)] ?? value) : value
}

const valuesOf = (given: Schema.ConstraintDecoder<unknown>, name = ""): Arbitrary<unknown> =>
  map(schema(given as Schema.Codec<unknown>), (value) => few(value, name))

const one = <A>(...values: ReadonlyArray<A>): Arbitrary<A> =>
  map(int(1, 1e9), (number) => values[number % values.length] as A)

const allOptions = {
  idempotencyKey: one<string | undefined>(undefined, undefined, undefined, "k1", "k2"),
  ifVersion: one<number | ReadonlyArray<number> | undefined>(undefined, undefined, 1, 2, [1, 2]),
  reserveFor: one<number | undefined>(undefined, 600_000)
}

/** Any call of a method, by what it takes. */
const callOf = (method: OperationName): Arbitrary<Call> => {
  const { body, field, kind, options = {}, path = {}, query } = inputOf(method)
  const input = [
    ...(kind === undefined ? [] : [valuesOf(kind)]),
    ...Object.entries(path).map(([name, id]) => valuesOf(id, name)),
    ...(body === undefined
      ? []
      : [map(valuesOf(body), (value) => (field ? Reflect.get(Object(value), field) : value))]),
    ...(query === undefined ? [] : [valuesOf(query)])
  ]
  const given = Object.fromEntries(Object.entries(allOptions).filter(([name]) => name in options))
  return map(all({ input: all(input), options: all(given) }), (drawn) => ({ method, ...drawn }))
}

const groups = Object.entries(methodInputs)
const methods = groups.flatMap(([group, inputs]) =>
  Object.keys(inputs).flatMap((name) =>
    Array.from({ length: weights[group] ?? 1 }, () => `${group}.${name}` as OperationName)
  )
)
const call = flatMap(one(...methods.map(callOf)), (of) => of)

export const opening: ReadonlyArray<Step> = [
  [{ method: "categories.create", input: [{ name: "Dogs" }] }],
  [{ method: "pets.createAll", input: [[1, 2, 3].map((number) => ({ name: `Rex ${number}`, categoryId: 1 }))] }],
  [{ method: "inventory.setAll", input: [[1, 2].map((petId) => ({ petId, quantity: 5 }))] }],
  [{ method: "orders.place", input: [{ petId: 1, quantity: 2 }] }],
  [{ method: "orders.place", input: [{}] }],
  [{ method: "accounts.create", input: [{ name: "Shop" }] }],
  // Ids are drawn up to 3, so one of these stays: a server with a key of its own lets the last one be revoked.
  ...[1, 2, 3, 4].map(
    (number): Step => [{ method: "apiKeys.create", input: [{ accountId: 1, name: `Till ${number}`, preset: "admin" }] }]
  ),
  [{ method: "messages.enqueue", input: ["Feed"] }],
  [{ method: "webhooks.create", input: [{ url: "https://hooks.example.com/1" }] }]
]

/** The same few resources first, then random calls, in every second sequence with transactions. */
export const sequence: Arbitrary<ReadonlyArray<Step>> = map(
  flatMap(schema(Schema.Boolean), (hasTransactions) =>
    array(array(call, { minLength: 1, maxLength: hasTransactions ? 3 : 1 }), { maxLength: 40 })
  ),
  (steps) => [...opening, ...steps]
)

/** Every list that is not about one resource. */
export const reading: ReadonlyArray<OperationName> = [...new Set([...methods, "events.list" as const])].filter(
  (method) => {
    const { path, query } = inputOf(method)
    return query !== undefined && path === undefined
  }
)
