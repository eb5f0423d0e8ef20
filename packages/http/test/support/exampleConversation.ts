import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  type Components,
  type LinkObject,
  type Method,
  methods,
  type OpenApi,
  type OperationObject,
  type OrReference
} from "../../src/openapi/OpenApi.ts"
import type { TestServer } from "./TestServer.ts"

const isMethod = (key: string): key is Method => methods.some((method) => method === key)

interface Described {
  readonly method: string
  readonly path: string
  readonly operation: OperationObject
}

/** Every operation, in the order of the document, with its path on the server. */
const inOrder = ({ paths, servers }: OpenApi): ReadonlyArray<Described> =>
  Object.entries(paths).flatMap(([template, item]) => {
    const base = (item.servers ?? servers)[0]?.url.replace(/\/$/, "") ?? ""
    return Object.keys(item)
      .filter(isMethod)
      .flatMap((key) => {
        const operation = item[key]
        return operation === undefined ? [] : [{ method: key.toUpperCase(), path: base + template, operation }]
      })
  })

/** The part that may be a reference to the components of its kind. */
export const resolved = <A extends object>(part: OrReference<A>, components: Readonly<Record<string, A>>): A => {
  if (!("$ref" in part)) return part
  const name = String(part.$ref).split("/").at(-1) ?? ""
  return components[name] ?? assert.fail(`${part.$ref} is missing`)
}

/** The values that the links of a response give to parameters, by operation and name. */
const linkedValues = (links: Readonly<Record<string, LinkObject>>, body: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.values(links).flatMap(({ operationId, parameters }) =>
      Object.entries(parameters).map(([name, expression]) => {
        const field = /^\$response\.body#\/(\w+)$/.exec(expression)?.[1] ?? assert.fail(expression)
        return [`${operationId} ${name}`, Object(body)[field]]
      })
    )
  )

/** The path and the query with the examples of an operation's required parameters, or with the ids that links give. */
const targetOf = ({ operation, path }: Described, components: Components, linked: Record<string, unknown>): string => {
  const parameters = (operation.parameters ?? []).map((one) => resolved(one, components.parameters))
  const textOf = (name: string, example: unknown): string => {
    // Links tell more than examples, as the id of a message shows, which cannot be known in advance.
    const value = linked[`${operation.operationId} ${name}`] ?? example
    return value === undefined ? assert.fail(`${operation.operationId}: nothing gives ${name}`) : String(value)
  }
  const query = new URLSearchParams()
  let target = path
  for (const { example, in: kind, name, required } of parameters) {
    if (required !== true) continue
    if (kind === "path") target = target.replace(`{${name}}`, encodeURIComponent(textOf(name, example)))
    else if (kind === "query") query.set(name, textOf(name, example))
    else assert.fail(`${operation.operationId} requires the header ${name}`)
  }
  return query.size === 0 ? target : `${target}?${query}`
}

/** The bodies of the examples of an operation; undefined for one without a body. */
const bodiesOf = ({ requestBody }: OperationObject, { examples }: Components): ReadonlyArray<unknown> => {
  const content = requestBody?.content["application/json"]
  const several = Object.values(content?.examples ?? {}).map((one) => resolved(one, examples).value)
  return several.length > 0 ? several : [content?.example]
}

/** Runs every operation once as the document says, and returns those that did not succeed as documented. */
export const failuresInOrder = (send: TestServer["send"], document: OpenApi) =>
  Effect.gen(function* () {
    const { components } = document
    const described = inOrder(document)
    const failures: Array<string> = []
    const linked: Record<string, unknown> = {}
    for (const one of described) {
      const { method, operation } = one
      const target = targetOf(one, components, linked)
      const documented = Object.entries(operation.responses).find(([status]) => /^2/.test(status))
      for (const body of bodiesOf(operation, components)) {
        const reply = yield* send(method, target, body === undefined ? {} : { body })
        if (String(reply.status) !== documented?.[0]) {
          failures.push(`${operation.operationId}: ${method} ${target} ${reply.status} ${reply.text}`)
        }
        if (documented === undefined) continue
        Object.assign(linked, linkedValues(resolved(documented[1], components.responses).links ?? {}, reply.body))
      }
    }
    return { ran: described.length, failures }
  })
