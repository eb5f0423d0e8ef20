import { stringify } from "yaml"
import { operations } from "../api/operations.ts"
import type { OpenApi } from "./OpenApi.ts"
import { openApi31 } from "./openApi31.ts"
import { type OpenApiOptions, openApiDocument } from "./openApiDocument.ts"
import { operationObject } from "./operationObject.ts"

const yamlText = (part: object): string =>
  stringify(part, { aliasDuplicateObjects: false, compat: "yaml-1.1", lineWidth: 120 })

/** A document as YAML, in a part for each path, and for each kind of component. Dates and similar strings are quoted, so that YAML 1.1 parsers read strings too. */
function* yamlParts(document: object): Generator<string> {
  for (const [key, value] of Object.entries(document)) {
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value)
    const entries = isRecord ? Object.entries(value) : []
    if (entries.length === 0) yield yamlText({ [key]: value })
    for (const [index, entry] of entries.entries()) {
      const text = yamlText({ [key]: Object.fromEntries([entry]) })
      yield index === 0 ? text : text.slice(key.length + 2)
    }
  }
}

/** Formats a document as YAML. */
export const openApiYaml = (document: OpenApi): string => [...yamlParts(document)].join("")

/** The format of the text. */
export type DocumentFormat = "json" | "yaml"

/** The version of OpenAPI that the text is written in. */
export type DocumentVersion = "3.0" | "3.1"

/** The document as text that ends with a line break, in parts: making the whole takes up to a second, so a server does other work between them. */
export function* documentParts(
  format: DocumentFormat,
  options?: OpenApiOptions,
  version: DocumentVersion = "3.0"
): Generator<string> {
  for (const operation of operations) {
    // Keeps what the document is made of.
    operationObject(operation)
    yield ""
  }
  const document = openApiDocument(options)
  yield ""
  const written = version === "3.1" ? openApi31(document) : document
  if (format === "yaml") yield* yamlParts(written)
  else yield `${JSON.stringify(written, null, 2)}\n`
}

/** The document as text that ends with a line break. */
export const documentText = (format: DocumentFormat, options?: OpenApiOptions, version?: DocumentVersion): string =>
  [...documentParts(format, options, version)].join("")
