import { type Operation, operations } from "../api/operations.ts"
import type { LinkObject } from "./OpenApi.ts"

/** Equal for paths that differ in the names of their parameters alone. */
const shape = (path: string): string => path.replace(/:\w+/g, ":")

const parameterNames = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)

/** The parameter that identifies what was created at a location. */
const identifier = (location: string): string | undefined => {
  const read = operations.find(({ method, path }) => method === "GET" && shape(path) === shape(location))
  return read === undefined ? undefined : parameterNames(read.path)[0]
}

/** From what an operation created to every operation on it. */
export const linksOf = ({ location }: Operation): Readonly<Record<string, LinkObject>> => {
  if (location === undefined) return {}
  const name = identifier(location)
  const [field] = parameterNames(location)
  if (name === undefined || field === undefined) throw new TypeError(`No operation reads ${location}`)
  const takers = operations.filter(
    ({ marks, path }) => marks.deprecation === undefined && parameterNames(path).join() === name
  )
  return Object.fromEntries(
    takers.map(({ id, summary }) => [
      id,
      { operationId: id, description: `${summary}.`, parameters: { [name]: `$response.body#/${field}` } }
    ])
  )
}
