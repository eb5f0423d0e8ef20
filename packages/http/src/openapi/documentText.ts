import { stringify } from "yaml"
import type { OpenApi } from "./OpenApi.ts"
import { type OpenApiOptions, openApiDocument } from "./openApiDocument.ts"

/** Formats a document as YAML. Dates and similar strings are quoted, so that YAML 1.1 parsers read strings too. */
export const openApiYaml = (document: OpenApi): string =>
  stringify(document, { aliasDuplicateObjects: false, compat: "yaml-1.1", lineWidth: 120 })

/** The format of the text. */
export type DocumentFormat = "json" | "yaml"

/** The document as text that ends with a line break. */
export const documentText = (format: DocumentFormat, options?: OpenApiOptions): string => {
  const document = openApiDocument(options)
  return format === "yaml" ? openApiYaml(document) : `${JSON.stringify(document, null, 2)}\n`
}
