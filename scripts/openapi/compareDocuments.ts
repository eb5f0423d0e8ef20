import type { OpenApi } from "@petstore/http/openapi"
import { adds, breaks, type Change, type Operation } from "./Change.ts"
import { compareOperations, hasEnded, isExperimental } from "./compareOperations.ts"
import { resolver } from "./resolver.ts"

const methods = ["get", "post", "patch", "delete"] as const

const operationsOf = ({ paths }: OpenApi): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const operation = item[method]
        return operation === undefined ? [] : [[`${method.toUpperCase()} ${path}`, operation] as const]
      })
    )
  )

const addressesOf = ({ paths, servers }: OpenApi): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(paths).map(([path, item]) => [path, (item.servers ?? servers).map(({ url }) => url).join(", ")])
  )

const addressChanges = (before: OpenApi, after: OpenApi): ReadonlyArray<Change> => {
  const now = addressesOf(after)
  return [...addressesOf(before)].flatMap(([path, address]) => {
    const moved = now.get(path)
    return moved === undefined || moved === address ? [] : [breaks(path, `it was under ${address}, is under ${moved}`)]
  })
}

// Names of shapes are names of types in generated clients.
const shapeChanges = (before: OpenApi, after: OpenApi): ReadonlyArray<Change> =>
  Object.keys(before.components.schemas)
    .filter((name) => !Object.hasOwn(after.components.schemas, name))
    .map((name) => breaks(`the shape ${name}`, "it is gone"))

/**
 * What changed for clients from one document to the next, on a day such as 2026-05-04. Experimental operations may
 * change at will; others keep to the promises of the versioning policy. What clients cannot notice is no change.
 */
export const compareDocuments = (before: OpenApi, after: OpenApi, today: string): ReadonlyArray<Change> => {
  const resolve = { before: resolver(before), after: resolver(after) }
  const [had, has] = [operationsOf(before), operationsOf(after)]
  return [
    ...addressChanges(before, after),
    ...shapeChanges(before, after),
    ...[...had].flatMap(([where, operation]) => {
      const now = has.get(where)
      const free = isExperimental(operation)
      if (now === undefined) return [(free || hasEnded(operation, today) ? adds : breaks)(where, "it is gone")]
      const changes = compareOperations(where, operation, now, resolve, today)
      return free ? changes.map((change) => ({ ...change, breaking: false })) : changes
    }),
    ...[...has.keys()].filter((where) => !had.has(where)).map((where) => adds(where, "it is new"))
  ]
}
