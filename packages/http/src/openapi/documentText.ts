import { stringify } from "yaml"
import type { OpenApi } from "./OpenApi.ts"
import { openApi31 } from "./openApi31.ts"
import { type OpenApiOptions, openApiDocument } from "./openApiDocument.ts"

const yamlText = (document: object): string =>
  stringify(document, { aliasDuplicateObjects: false, compat: "yaml-1.1", lineWidth: 120 })

/** Formats a document as YAML. Dates and similar strings are quoted, so that YAML 1.1 parsers read strings too. */
export const openApiYaml = (document: OpenApi): string => yamlText(document)

/** The format of the text. */
export type DocumentFormat = "json" | "yaml"

/** The version of OpenAPI that the text is written in. */
export type DocumentVersion = "3.0" | "3.1"

/** The document as text that ends with a line break. */
export const documentText = (
  format: DocumentFormat,
  options?: OpenApiOptions,
  version: DocumentVersion = "3.0"
): string => {
  const document = openApiDocument(options)
  const written = version === "3.1" ? openApi31(document) : document
  return format === "yaml" ? yamlText(written) : `${JSON.stringify(written, null, 2)}\n`
}
