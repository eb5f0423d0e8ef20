import { breaking, type Change, type Content, compatible, type Operation, type Parameter } from "./Change.ts"
import { compareSchemas, type Direction, type Resolver } from "./compareSchemas.ts"

interface Resolvers {
  readonly before: Resolver
  readonly after: Resolver
}

/** Compares two records: keys of one only, and values under the same key. */
const byKey = <A>(
  before: Readonly<Record<string, A>>,
  after: Readonly<Record<string, A>>,
  compare: {
    readonly removed: (key: string, value: A) => ReadonlyArray<Change>
    readonly added: (key: string, value: A) => ReadonlyArray<Change>
    readonly both: (key: string, before: A, after: A) => ReadonlyArray<Change>
  }
): ReadonlyArray<Change> => [
  ...Object.entries(before).flatMap(([key, value]) => {
    const now = after[key]
    return now === undefined ? compare.removed(key, value) : compare.both(key, value, now)
  }),
  ...Object.entries(after).flatMap(([key, value]) => (Object.hasOwn(before, key) ? [] : compare.added(key, value)))
]

const parameterChanges = (where: string, before: Operation, after: Operation, resolve: Resolvers) => {
  const named = (operation: Operation, { parameter }: Resolver): Readonly<Record<string, Parameter>> =>
    Object.fromEntries(
      (operation.parameters ?? []).map(parameter).map((found) => [`${found.in} parameter ${found.name}`, found])
    )
  return byKey(named(before, resolve.before), named(after, resolve.after), {
    removed: (name) => [breaking(`${where} > ${name}`, "removed")],
    added: (name, { required }) => [
      required === true ? breaking(`${where} > ${name}`, "added, required") : compatible(`${where} > ${name}`, "added")
    ],
    both: (name, was, is) => [
      ...(was.required !== true && is.required === true ? [breaking(`${where} > ${name}`, "now required")] : []),
      ...compareSchemas(`${where} > ${name}`, "sent", was.schema, is.schema, resolve)
    ]
  })
}

const contentChanges = (where: string, direction: Direction, before: Content, after: Content, resolve: Resolvers) =>
  byKey(before, after, {
    removed: (type) => [breaking(where, `${type} removed`)],
    added: (type) => [compatible(where, `${type} added`)],
    both: (_type, was, is) => compareSchemas(where, direction, was.schema, is.schema, resolve)
  })

const bodyChanges = (
  where: string,
  before: Operation,
  after: Operation,
  resolve: Resolvers,
  direction: Direction
): ReadonlyArray<Change> => {
  const place = `${where} > body`
  const [was, is] = [before.requestBody, after.requestBody]
  if (was !== undefined && is !== undefined) return contentChanges(place, direction, was.content, is.content, resolve)
  if (was === is) return []
  return [breaking(place, was === undefined ? "added, required" : "removed")]
}

const isSuccess = (status: string): boolean => status.startsWith("2")

const missing = (had: ReadonlyArray<string>, has: ReadonlyArray<string>) => had.filter((value) => !has.includes(value))

const responseChanges = (where: string, before: Operation, after: Operation, resolve: Resolvers) =>
  byKey(before.responses, after.responses, {
    removed: (status) => [breaking(`${where} > ${status}`, "removed")],
    added: (status) => [
      isSuccess(status)
        ? breaking(`${where} > ${status}`, "added as a success")
        : compatible(`${where} > ${status}`, "added")
    ],
    both: (status, one, other) => {
      const place = `${where} > ${status}`
      const [was, is] = [resolve.before.response(one), resolve.after.response(other)]
      const [codes, codesNow] = [was["x-error-codes"] ?? [], is["x-error-codes"] ?? []]
      return [
        ...missing(codes, codesNow).map((code) => breaking(place, `code ${code} removed`)),
        ...missing(codesNow, codes).map((code) => compatible(place, `code ${code} added`)),
        ...byKey(was.headers ?? {}, is.headers ?? {}, {
          removed: (name) => [breaking(`${place} > header ${name}`, "removed")],
          added: (name) => [compatible(`${place} > header ${name}`, "added")],
          both: (name, before, after) => {
            const [had, has] = [resolve.before.header(before).required, resolve.after.header(after).required]
            if (had === has) return []
            return [
              had
                ? breaking(`${place} > header ${name}`, "no longer always sent")
                : compatible(`${place} > header ${name}`, "now always sent")
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
  const [own, ownNow] = [before["x-scope-for-own"], after["x-scope-for-own"]]
  const [typed, typedNow] = [before["x-scopes-for-types"] ?? [], after["x-scopes-for-types"] ?? []]
  return [
    ...missing(typed, typedNow).map((scope) => breaking(where, `the scope ${scope} no longer suffices for its types`)),
    ...missing(typedNow, typed).map((scope) => compatible(where, `the scope ${scope} suffices for its types now`)),
    ...(own === undefined || own === ownNow ? [] : [breaking(where, `the scope ${own} no longer suffices`)]),
    ...(ownNow === undefined || own === ownNow ? [] : [compatible(where, `the scope ${ownNow} suffices now`)]),
    ...missing(has, had).map((scope) => breaking(where, `now requires the scope ${scope}`)),
    ...missing(had, has).map((scope) => compatible(where, `no longer requires the scope ${scope}`)),
    ...(is !== undefined && (was?.field !== is.field || was.scope !== is.scope)
      ? [breaking(where, `now requires the scope ${is.scope} if ${is.field} is true`)]
      : []),
    ...(is === undefined || was === undefined || is.sufficesAlone === was.sufficesAlone
      ? []
      : is.sufficesAlone === true
        ? [compatible(where, `a body with only ${is.field} now requires only the scope ${is.scope}`)]
        : [breaking(where, `a body with only ${was.field} no longer requires only the scope ${was.scope}`)])
  ]
}

const day = 24 * 60 * 60 * 1000

/** How many days an operation is kept after its end is announced, by its stability. */
const lifetimes = { stable: 365, beta: 90 } as const

const ranks = { stable: 2, beta: 1, experimental: 0 } as const
const stabilityOf = (operation: Operation): keyof typeof ranks => operation["x-stability"] ?? "stable"

/** Whether the announced end of an operation has passed. */
export const hasEnded = (operation: Operation, today: string): boolean =>
  operation.deprecated === true && operation["x-sunset"] !== undefined && operation["x-sunset"] <= today

/** Whether an operation may change with any release. */
export const isExperimental = (operation: Operation): boolean => stabilityOf(operation) === "experimental"

const lifecycleChanges = (where: string, before: Operation, after: Operation, today: string): ReadonlyArray<Change> => {
  const [was, is] = [stabilityOf(before), stabilityOf(after)]
  const [end, endNow] = [before["x-sunset"], after["x-sunset"]]
  const soonest = Date.parse(today) + lifetimes[was === "beta" ? "beta" : "stable"] * day
  return [
    ...(was === is ? [] : [(ranks[is] < ranks[was] ? breaking : compatible)(where, `changed from ${was} to ${is}`)]),
    ...(endNow === undefined || end === endNow
      ? []
      : [
          end === undefined
            ? (Date.parse(endNow) < soonest ? breaking : compatible)(where, `sunset on ${endNow}`)
            : (endNow < end ? breaking : compatible)(where, `sunset moved from ${end} to ${endNow}`)
        ])
  ]
}

/** The changes of one operation, on the given day. Clients send the bodies of its requests, or read those of webhooks. */
export const compareOperations = (
  where: string,
  before: Operation,
  after: Operation,
  resolve: Resolvers,
  today: string,
  bodies: Direction
): ReadonlyArray<Change> => [
  ...(before.operationId === after.operationId
    ? []
    : [breaking(where, `operationId changed from ${before.operationId} to ${after.operationId}`)]),
  ...lifecycleChanges(where, before, after, today),
  ...accessChanges(where, before, after),
  ...parameterChanges(where, before, after, resolve),
  ...bodyChanges(where, before, after, resolve, bodies),
  ...responseChanges(where, before, after, resolve)
]
