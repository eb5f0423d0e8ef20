import type { Route } from "./Route.ts"
import { type ReferencePageFile, referencePageText } from "./referencePageText.ts"
import { staticRoute } from "./staticRoute.ts"

const types: Readonly<Record<ReferencePageFile, string>> = {
  "index.html": "text/html; charset=utf-8",
  "petstore.css": "text/css; charset=utf-8",
  "petstore.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8"
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
const headers = ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer", "X-Frame-Options", "DENY"]

/** The page that shows the API document and sends requests to the API, by path. `compressed`: for clients that accept it. */
export const referencePageRoutes = (compressed: boolean): ReadonlyArray<readonly [path: string, route: Route]> =>
  (Object.keys(types) as ReadonlyArray<ReferencePageFile>).map((name) => {
    const load = async () => ({ type: types[name], text: await referencePageText(name), headers })
    const path = name === "index.html" ? "/docs" : `/docs/${name}`
    return [path, staticRoute(`reference page: ${name}`, load, compressed)]
  })
