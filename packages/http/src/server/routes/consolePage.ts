import { type Authentication, infoOf } from "../../openapi/info.ts"
import { type ConsoleFile, consoleText } from "./consoleText.ts"
import type { PublicPaths } from "./PublicPaths.ts"
import type { Route } from "./Route.ts"
import { type StaticFile, staticRoute } from "./staticRoute.ts"

const types: Readonly<Record<ConsoleFile, string>> = {
  "console.css": "text/css; charset=utf-8",
  "console.js": "text/javascript; charset=utf-8"
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // Stored text reaches the page only as text: no script may turn a string into HTML.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** The page has a key and acts with it: nothing else may run in it, frame it, hold its window, or learn its address. */
const headers: ReadonlyArray<string> = [
  ...["Content-Security-Policy", policy],
  ...["Referrer-Policy", "no-referrer"],
  ...["X-Frame-Options", "DENY"],
  ...["Cross-Origin-Opener-Policy", "same-origin"],
  ...["Cross-Origin-Resource-Policy", "same-origin"],
  ...["Permissions-Policy", "camera=(), geolocation=(), microphone=()"]
]

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230b6e66'/%3E%3Cg fill='%23fff'%3E%3Cellipse cx='9.6' cy='14' rx='2.4' ry='3.1'/%3E%3Cellipse cx='14' cy='9.4' rx='2.4' ry='3.2'/%3E%3Cellipse cx='18.9' cy='9.4' rx='2.4' ry='3.2'/%3E%3Cellipse cx='23' cy='14' rx='2.4' ry='3.1'/%3E%3Cpath d='M16.3 14.6c3.2 0 6.3 3.4 6.3 6.3 0 2-1.5 3.1-3.2 3.1-1.3 0-1.9-.6-3.1-.6s-1.8.6-3.1.6c-1.7 0-3.2-1.1-3.2-3.1 0-2.9 3.1-6.3 6.3-6.3z'/%3E%3C/g%3E%3C/svg%3E"

/** Its own addresses are relative, so that it works behind a prefix that the server does not know. Paths need no escapes. */
const html = (basePath: string, authentication: Authentication): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <meta name="petstore" content="${basePath}" data-sign-in="${authentication}" data-version="${infoOf(authentication).version}" />
    <title>Petstore</title>
    <link rel="icon" href="${icon}" />
    <link rel="stylesheet" href="console/console.css" />
    <script type="module" src="console/console.js"></script>
  </head>
  <body>
    <div id="console"><p class="starting">Petstore</p></div>
    <noscript>The console needs JavaScript. The <a href="docs">API reference</a> describes what it shows.</noscript>
  </body>
</html>
`

/** The console, a page to look at a petstore and to act on it with the REST API, by path. */
export const consoleRoutes = (
  { base, mount }: PublicPaths,
  authentication: Authentication,
  compressed: boolean
): ReadonlyArray<readonly [path: string, route: Route]> => {
  const route = (name: string, load: () => Promise<StaticFile>) => staticRoute(`console: ${name}`, load, compressed)
  const page = { type: "text/html; charset=utf-8", text: html(base.slice(mount.length), authentication), headers }
  const files = Object.entries(types) as ReadonlyArray<readonly [ConsoleFile, string]>
  return [
    ["/console", route("index.html", async () => page)],
    ...files.map(([name, type]) => {
      const load = async () => ({ type, text: await consoleText(name), headers })
      return [`/console/${name}`, route(name, load)] as const
    })
  ]
}
