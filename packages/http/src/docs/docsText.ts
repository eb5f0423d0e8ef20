import { readFile } from "node:fs/promises"

/** The files of the page: all that it needs, so that it works without any other host. */
export type DocsFile = "index.html" | "petstore.css" | "petstore.js" | "swagger-ui.css" | "swagger-ui-bundle.js"

const folder = new URL("../../docs-page/", import.meta.url)

/**
 * Reads a file of the docs page. The build replaces the compiled module by one that has the texts in modules of their own
 * (`scripts/embedDocsPage.js`): bundlers take modules along, and other files each in a way of its own.
 */
export const docsText = (name: DocsFile): Promise<string> =>
  readFile(new URL(name.startsWith("swagger-ui") ? `vendor/${name}` : name, folder), "utf8")
