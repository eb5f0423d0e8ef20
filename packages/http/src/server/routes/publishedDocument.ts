import type { DocumentFormat } from "../../openapi/documentText.ts"
import type { OpenApiOptions } from "../../openapi/index.ts"
import type { Route } from "./Route.ts"
import { staticRoute } from "./staticRoute.ts"

/** Media types (RFC 8259, RFC 9512). */
const types: Readonly<Record<DocumentFormat, string>> = { json: "application/json", yaml: "application/yaml" }

/** Serves the OpenAPI document of a server with these options. */
export const publishedDocument = (format: DocumentFormat, options: OpenApiOptions, compressed: boolean): Route => {
  const load = async () => {
    // Loaded at the first request: most servers never serve the document.
    const { documentText } = await import("../../openapi/documentText.ts")
    return { type: types[format], text: documentText(format, options) }
  }
  return staticRoute(`openapi.${format}`, load, compressed)
}
