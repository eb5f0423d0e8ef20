import { readFile } from "node:fs/promises"

/** The files of the reference page. It loads nothing from other hosts. */
export type ReferencePageFile =
  | "index.html"
  | "petstore.css"
  | "petstore.js"
  | "swagger-ui.css"
  | "swagger-ui-bundle.js"

const folder = new URL("../../../reference-page/", import.meta.url)

/**
 * Reads a file of the reference page. The build replaces the compiled module by one that has the texts in modules of their own
 * (`scripts/embedPages.js`), because bundlers include modules, but treat other files each in their own way.
 */
export const referencePageText = (name: ReferencePageFile): Promise<string> =>
  readFile(new URL(name.startsWith("swagger-ui") ? `vendor/${name}` : name, folder), "utf8")
