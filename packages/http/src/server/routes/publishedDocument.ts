import { setImmediate } from "node:timers/promises"
import type { DocumentFormat, DocumentVersion } from "../../openapi/documentText.ts"
import type { OpenApiOptions } from "../../openapi/index.ts"
import type { Route } from "./Route.ts"
import { staticRoute } from "./staticRoute.ts"

/** Media types (RFC 8259, RFC 9512). */
const types: Readonly<Record<DocumentFormat, string>> = { json: "application/json", yaml: "application/yaml" }

const routeOf = (
  name: string,
  format: DocumentFormat,
  version: DocumentVersion,
  options: OpenApiOptions,
  compressed: boolean
): Route => {
  const load = async () => {
    // Loaded at the first request: most servers never serve the document.
    const { documentParts } = await import("../../openapi/documentText.ts")
    let text = ""
    for (const part of documentParts(format, options, version)) {
      text += part
      await setImmediate()
    }
    return { type: types[format], text }
  }
  return staticRoute(name, load, compressed)
}

/** Serves the OpenAPI document of a server with these options, in both formats of both versions. */
export const publishedDocuments = (
  options: OpenApiOptions,
  compressed: boolean
): ReadonlyArray<readonly [path: string, route: Route]> =>
  (["json", "yaml"] as const).flatMap((format) =>
    (["3.0", "3.1"] as const).map((version) => {
      const name = version === "3.0" ? `openapi.${format}` : `openapi-${version}.${format}`
      return [`/${name}`, routeOf(name, format, version, options, compressed)] as const
    })
  )
