import type { OpenApi } from "@petstore/http/openapi"
import { breaking, type Change, compatible, type Operation } from "./Change.ts"
import { compareOperations, hasEnded, isExperimental } from "./compareOperations.ts"
import { type Direction, resolver } from "./compareSchemas.ts"

const methods = ["get", "post", "put", "patch", "delete"] as const

const operationsIn = (
  items: OpenApi["paths"],
  nameOf: (method: string, key: string) => string
): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(items).flatMap(([key, item]) =>
      methods.flatMap((method) => {
        const operation = item[method]
        return operation === undefined ? [] : [[nameOf(method.toUpperCase(), key), operation] as const]
      })
    )
  )

const operationsOf = ({ paths }: OpenApi) => operationsIn(paths, (method, path) => `${method} ${path}`)

/** The document that was accepted last may be older than the extension. */
const webhooksOf = ({ "x-webhooks": webhooks }: Partial<OpenApi>) =>
  operationsIn(webhooks ?? {}, (_, type) => `webhook ${type}`)

const addressesOf = ({ paths, servers }: OpenApi): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(paths).map(([path, item]) => [path, (item.servers ?? servers).map(({ url }) => url).join(", ")])
  )

const addressChanges = (before: OpenApi, after: OpenApi): ReadonlyArray<Change> => {
  const now = addressesOf(after)
  return [...addressesOf(before)].flatMap(([path, address]) => {
    const moved = now.get(path)
    return moved === undefined || moved === address ? [] : [breaking(path, `moved from ${address} to ${moved}`)]
  })
}

// Generated clients name types after schemas.
const schemaChanges = (before: OpenApi, after: OpenApi): ReadonlyArray<Change> =>
  Object.keys(before.components.schemas)
    .filter((name) => !Object.hasOwn(after.components.schemas, name))
    .map((name) => breaking(`schema ${name}`, "removed"))

/**
 * Compares two documents as clients see them, on a day such as 2026-05-04. No change of an experimental operation is
 * breaking; for all others the versioning policy decides. Differences that clients cannot notice are left out. Libraries on npm do not
 * know what a scope, an error code or a sunset means to clients.
 */
export const compareDocuments = (before: OpenApi, after: OpenApi, today: string): ReadonlyArray<Change> => {
  const resolve = { before: resolver(before), after: resolver(after) }
  const changesOf = (had: ReadonlyMap<string, Operation>, has: ReadonlyMap<string, Operation>, bodies: Direction) => [
    ...[...had].flatMap(([where, operation]) => {
      const now = has.get(where)
      const experimental = isExperimental(operation)
      if (now === undefined)
        return [(experimental || hasEnded(operation, today) ? compatible : breaking)(where, "removed")]
      const changes = compareOperations(where, operation, now, resolve, today, bodies)
      return experimental ? changes.map((change) => ({ ...change, breaking: false })) : changes
    }),
    ...[...has.keys()].filter((where) => !had.has(where)).map((where) => compatible(where, "added"))
  ]
  return [
    ...addressChanges(before, after),
    ...schemaChanges(before, after),
    ...changesOf(operationsOf(before), operationsOf(after), "sent"),
    ...changesOf(webhooksOf(before), webhooksOf(after), "read")
  ]
}
