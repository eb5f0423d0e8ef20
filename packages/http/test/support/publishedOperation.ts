import { openApiDocument } from "@petstore/http/openapi"

interface Published {
  readonly path: RegExp
  readonly operations: Readonly<Record<string, string>>
}

const { paths, servers } = openApiDocument()

const published: ReadonlyArray<Published> = Object.entries(paths).map(([template, item]) => {
  const [server] = item.servers ?? servers
  const base = server?.url === "/" ? "" : server?.url
  const pattern = `${base}${template}`.replace(/\{\w+\}/g, "[^/?]+")
  const operations = Object.entries({ GET: item.get, POST: item.post, PATCH: item.patch, DELETE: item.delete })
  return {
    path: new RegExp(`^${pattern}(?:\\?|$)`),
    operations: Object.fromEntries(
      operations.flatMap(([method, operation]) => (operation === undefined ? [] : [[method, operation.operationId]]))
    )
  }
})

/**
 * The operationId of what answers a request, that of GET for HEAD; that of any operation at its path where the path has
 * no such method, and undefined where nothing is published there.
 */
export const publishedOperation = (method: string, path: string): string | undefined => {
  const found = published.find((one) => one.path.test(path))
  return found === undefined
    ? undefined
    : (found.operations[method === "HEAD" ? "GET" : method] ?? Object.values(found.operations)[0])
}
