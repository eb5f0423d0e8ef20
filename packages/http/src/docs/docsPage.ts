import type { StaticFile } from "../server/StaticFile.ts"
import { type DocsFile, docsText } from "./docsText.ts"

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

/** Loads a file of the page. */
export const docsFile = async (name: DocsFile): Promise<StaticFile> => {
  const text = await docsText(name)
  return { type: types[name.slice(name.lastIndexOf(".") + 1)] ?? "text/plain", text, headers: pageHeaders }
}
