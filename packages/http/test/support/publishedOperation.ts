import { openApiDocument } from "@petstore/http/openapi"
import { methods } from "../../src/openapi/OpenApi.ts"

interface Published {
  readonly path: RegExp
  readonly operations: Readonly<Record<string, string>>
}

const { paths, servers } = openApiDocument({ metrics: true })

const parametersIn = (template: string): number => template.split("{").length

/** A path without a parameter stands for itself, before one that has a parameter in its place. */
const inOrder = Object.entries(paths).sort(([one], [other]) => parametersIn(one) - parametersIn(other))

const published: ReadonlyArray<Published> = inOrder.map(([template, item]) => {
  const [server] = item.servers ?? servers
  const base = server?.url === "/" ? "" : server?.url
  const pattern = `${base}${template}`.replace(/\{\w+\}/g, "[^/?]+")
  const operations = methods.map((method) => [method.toUpperCase(), item[method]] as const)
  return {
    path: new RegExp(`^${pattern}(?:\\?|$)`),
    operations: Object.fromEntries(
      operations.flatMap(([method, operation]) => (operation === undefined ? [] : [[method, operation.operationId]]))
    )
  }
})

/**
 * The operationId of the operation that responds to a request. HEAD is GET; if the path does not support the method, it
 * is any operation of the path. Undefined if the document does not have the path, and for OPTIONS.
 */
export const publishedOperation = (method: string, path: string): string | undefined => {
  const found = published.find((one) => one.path.test(path))
  return found === undefined || method === "OPTIONS"
    ? undefined
    : (found.operations[method === "HEAD" ? "GET" : method] ?? Object.values(found.operations)[0])
}
