import type { DocumentFormat } from "../../openapi/documentText.ts"
import type { OpenApiOptions } from "../../openapi/index.ts"
import type { Route } from "./Route.ts"
import { staticRoute } from "./staticRoute.ts"

/** Media types; that of YAML by RFC 9512. */
const types: Readonly<Record<DocumentFormat, string>> = { json: "application/json", yaml: "application/yaml" }

/** Answers the description of the API, as it is served with these options. */
export const publishedDocument = (format: DocumentFormat, options: OpenApiOptions, compressed: boolean): Route => {
  const load = async () => {
    // Most servers are never asked, so what makes the document is loaded when one is.
    const { documentText } = await import("../../openapi/documentText.ts")
    return { type: types[format], text: documentText(format, options) }
  }
  return staticRoute(`openapi.${format}`, load, compressed)
}
