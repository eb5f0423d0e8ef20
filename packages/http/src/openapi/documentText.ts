import { type OpenApiOptions, openApiDocument } from "./openApiDocument.ts"
import { openApiYaml } from "./openApiYaml.ts"

/** How the document is written. */
export type DocumentFormat = "json" | "yaml"

/** The document as text that ends with a line break. */
export const documentText = (format: DocumentFormat, options?: OpenApiOptions): string => {
  const document = openApiDocument(options)
  return format === "yaml" ? openApiYaml(document) : `${JSON.stringify(document, null, 2)}\n`
}
