import { createHash } from "node:crypto"
import type { StaticFile } from "./staticRoute.ts"

const style =
  "body{max-width:36rem;margin:3rem auto;padding:0 1rem;font:16px/1.6 sans-serif;color-scheme:light dark}code{overflow-wrap:anywhere}pre{overflow-x:auto}"

const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** A page without scripts. `content` is HTML; `headers` come beside those of every page. */
export const htmlPage = (title: string, content: string, headers: ReadonlyArray<string> = []): StaticFile => ({
  type: "text/html; charset=utf-8",
  text: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
    <style>${style}</style>
  </head>
  <body>
    <h1>${title}</h1>
    ${content}
  </body>
</html>
`,
  headers: [...headers, "Content-Security-Policy", policy, "Referrer-Policy", "no-referrer", "X-Frame-Options", "DENY"]
})
