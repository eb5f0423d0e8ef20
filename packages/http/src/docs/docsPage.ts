import { readFile } from "node:fs/promises"
import type { StaticFile } from "../server/StaticFile.ts"

/** The files of the page: all that it needs, so that it works without any other host. */
export type DocsFile = "index.html" | "petstore.css" | "petstore.js" | "swagger-ui.css" | "swagger-ui-bundle.js"

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8"
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  // These do not follow from default-src.
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** A key is pasted into this page: nothing else may run in it, frame it, or learn its address. */
const pageHeaders = ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer", "X-Frame-Options", "DENY"]

/** Each by an address that bundlers know how to follow. The build copies those of Swagger UI to `vendor`. */
const addresses: { readonly [Name in DocsFile]: URL } = {
  "index.html": new URL("../../docs-page/index.html", import.meta.url),
  "petstore.css": new URL("../../docs-page/petstore.css", import.meta.url),
  "petstore.js": new URL("../../docs-page/petstore.js", import.meta.url),
  "swagger-ui.css": new URL("../../docs-page/vendor/swagger-ui.css", import.meta.url),
  "swagger-ui-bundle.js": new URL("../../docs-page/vendor/swagger-ui-bundle.js", import.meta.url)
}

/** Reads a file of the page. */
export const docsFile = async (name: DocsFile): Promise<StaticFile> => {
  const text = await readFile(addresses[name], "utf8")
  return { type: types[name.slice(name.lastIndexOf(".") + 1)] ?? "text/plain", text, headers: pageHeaders }
}
