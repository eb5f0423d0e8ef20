import { adds, breaks, type Change, type Content, type Operation, type Parameter } from "./Change.ts"
import { compareSchemas, type Direction } from "./compareSchemas.ts"
import type { Resolver } from "./resolver.ts"

interface Resolvers {
  readonly before: Resolver
  readonly after: Resolver
}

/** What stands under the same key in both, and what stands in one only. */
const byKey = <A>(
  before: Readonly<Record<string, A>>,
  after: Readonly<Record<string, A>>,
  compare: {
    readonly gone: (key: string, value: A) => ReadonlyArray<Change>
    readonly come: (key: string, value: A) => ReadonlyArray<Change>
    readonly both: (key: string, before: A, after: A) => ReadonlyArray<Change>
  }
): ReadonlyArray<Change> => [
  ...Object.entries(before).flatMap(([key, value]) => {
    const now = after[key]
    return now === undefined ? compare.gone(key, value) : compare.both(key, value, now)
  }),
  ...Object.entries(after).flatMap(([key, value]) => (Object.hasOwn(before, key) ? [] : compare.come(key, value)))
]

const parameterChanges = (where: string, before: Operation, after: Operation, resolve: Resolvers) => {
  const named = (operation: Operation, { parameter }: Resolver): Readonly<Record<string, Parameter>> =>
    Object.fromEntries(
      (operation.parameters ?? []).map(parameter).map((found) => [`${found.in} parameter ${found.name}`, found])
    )
  return byKey(named(before, resolve.before), named(after, resolve.after), {
    gone: (name) => [breaks(`${where} > ${name}`, "it is gone")],
    come: (name, { required }) => [
      required === true
        ? breaks(`${where} > ${name}`, "it is new, and required")
        : adds(`${where} > ${name}`, "it is new")
    ],
    both: (name, was, is) => [
      ...(was.required !== true && is.required === true ? [breaks(`${where} > ${name}`, "it is required now")] : []),
      ...compareSchemas(`${where} > ${name}`, "sent", was.schema, is.schema, resolve)
    ]
  })
}

const contentChanges = (where: string, direction: Direction, before: Content, after: Content, resolve: Resolvers) =>
  byKey(before, after, {
    gone: (type) => [breaks(where, `${type} is gone`)],
    come: (type) => [adds(where, `${type} is new`)],
    both: (_type, was, is) => compareSchemas(where, direction, was.schema, is.schema, resolve)
  })

const bodyChanges = (where: string, before: Operation, after: Operation, resolve: Resolvers): ReadonlyArray<Change> => {
  const place = `${where} > body`
  const [was, is] = [before.requestBody, after.requestBody]
  if (was !== undefined && is !== undefined) return contentChanges(place, "sent", was.content, is.content, resolve)
  if (was === is) return []
  return [breaks(place, was === undefined ? "it is new, and required" : "it is gone")]
}

const isSuccess = (status: string): boolean => status.startsWith("2")

const missing = (had: ReadonlyArray<string>, has: ReadonlyArray<string>) => had.filter((value) => !has.includes(value))

const responseChanges = (where: string, before: Operation, after: Operation, resolve: Resolvers) =>
  byKey(before.responses, after.responses, {
    gone: (status) => [breaks(`${where} > ${status}`, "it is gone")],
    come: (status) => [
      isSuccess(status)
        ? breaks(`${where} > ${status}`, "it is a new success")
        : adds(`${where} > ${status}`, "it is new")
    ],
    both: (status, one, other) => {
      const place = `${where} > ${status}`
      const [was, is] = [resolve.before.response(one), resolve.after.response(other)]
      const [codes, codesNow] = [was["x-error-codes"] ?? [], is["x-error-codes"] ?? []]
      return [
        ...missing(codes, codesNow).map((code) => breaks(place, `the code ${code} is gone`)),
        ...missing(codesNow, codes).map((code) => adds(place, `the code ${code} is new`)),
        ...byKey(was.headers ?? {}, is.headers ?? {}, {
          gone: (name) => [breaks(`${place} > header ${name}`, "it is gone")],
          come: (name) => [adds(`${place} > header ${name}`, "it is new")],
          both: (name, before, after) => {
            const [had, has] = [resolve.before.header(before).required, resolve.after.header(after).required]
            if (had === has) return []
            return [
              had
                ? breaks(`${place} > header ${name}`, "it may be absent now")
                : adds(`${place} > header ${name}`, "it always comes now")
            ]
          }
        }),
        ...contentChanges(place, "read", was.content ?? {}, is.content ?? {}, resolve)
      ]
    }
  })

const accessChanges = (where: string, before: Operation, after: Operation): ReadonlyArray<Change> => {
  const [had, has] = [before["x-required-scopes"] ?? [], after["x-required-scopes"] ?? []]
  const [was, is] = [before["x-scope-of-body"], after["x-scope-of-body"]]
  return [
    ...missing(has, had).map((scope) => breaks(where, `it needs the scope ${scope}`)),
    ...missing(had, has).map((scope) => adds(where, `it does not need the scope ${scope} any more`)),
    ...(is !== undefined && (was?.field !== is.field || was.scope !== is.scope)
      ? [breaks(where, `it needs the scope ${is.scope} where ${is.field} is true`)]
      : []),
    ...(is === undefined || was === undefined || is.sufficesAlone === was.sufficesAlone
      ? []
      : is.sufficesAlone === true
        ? [adds(where, `the scope ${is.scope} suffices for a body with ${is.field} alone`)]
        : [breaks(where, `the scope ${was.scope} does not suffice any more for a body with ${was.field} alone`)])
  ]
}

const day = 24 * 60 * 60 * 1000

/** How many days an operation lives after its end is announced, by its stability. */
const lifetimes = { stable: 365, beta: 90 } as const

const ranks = { stable: 2, beta: 1, experimental: 0 } as const
const stabilityOf = (operation: Operation): keyof typeof ranks => operation["x-stability"] ?? "stable"

/** Whether the end of an operation has been announced and has come. */
export const hasEnded = (operation: Operation, today: string): boolean =>
  operation.deprecated === true && operation["x-sunset"] !== undefined && operation["x-sunset"] <= today

/** Whether an operation may change at any release. */
export const isExperimental = (operation: Operation): boolean => stabilityOf(operation) === "experimental"

const markChanges = (where: string, before: Operation, after: Operation, today: string): ReadonlyArray<Change> => {
  const [was, is] = [stabilityOf(before), stabilityOf(after)]
  const [end, endNow] = [before["x-sunset"], after["x-sunset"]]
  const soonest = Date.parse(today) + lifetimes[was === "beta" ? "beta" : "stable"] * day
  return [
    ...(was === is ? [] : [(ranks[is] < ranks[was] ? breaks : adds)(where, `it was ${was}, is ${is}`)]),
    ...(endNow === undefined || end === endNow
      ? []
      : [
          end === undefined
            ? (Date.parse(endNow) < soonest ? breaks : adds)(where, `it ends on ${endNow}`)
            : (endNow < end ? breaks : adds)(where, `it ends on ${endNow}, not on ${end}`)
        ])
  ]
}

/** How an operation changed for its clients, on the given day. */
export const compareOperations = (
  where: string,
  before: Operation,
  after: Operation,
  resolve: Resolvers,
  today: string
): ReadonlyArray<Change> => [
  ...(before.operationId === after.operationId
    ? []
    : [breaks(where, `its operationId was ${before.operationId}, is ${after.operationId}`)]),
  ...markChanges(where, before, after, today),
  ...accessChanges(where, before, after),
  ...parameterChanges(where, before, after, resolve),
  ...bodyChanges(where, before, after, resolve),
  ...responseChanges(where, before, after, resolve)
]
