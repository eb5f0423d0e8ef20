import { createHash } from "node:crypto"
import { type Authentication, infoOf } from "../../openapi/info.ts"
import { qualityValues } from "../request/headerValues.ts"
import type { PublicPaths } from "./PublicPaths.ts"
import type { Route } from "./Route.ts"
import { type StaticFile, staticResponse } from "./staticRoute.ts"

const style =
  "body{max-width:36rem;margin:3rem auto;padding:0 1rem;font:16px/1.6 sans-serif;color-scheme:light dark}code{overflow-wrap:anywhere}"

const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const access: Readonly<Record<Authentication, string>> = {
  apiKey: "<p>Send an API key with each request: <code>Authorization: Bearer &lt;API_KEY&gt;</code></p>",
  host: ""
}

const page = (
  { base, docs, mount }: PublicPaths,
  title: string,
  authentication: Authentication
): string => `<!doctype html>
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
    <p>The REST API is at <code>${base || "/"}</code>.</p>
    ${access[authentication]}
    <ul>
      <li><a href="${docs}">API reference</a>: read about every operation, and try it out</li>
      <li><a href="${mount}/openapi.yaml">OpenAPI description</a>, also <a href="${mount}/openapi.json">as JSON</a></li>
      <li><a href="${mount}/health/ready">Health</a>: whether the server is ready</li>
    </ul>
  </body>
</html>
`

const files = (paths: PublicPaths, authentication: Authentication) => {
  const { base, docs, mount } = paths
  const { title, version } = infoOf(authentication)
  // Programs find the API document, its documentation and the health of a service by these (RFC 8631).
  const links = [
    `<${mount}/openapi.json>; rel="service-desc"; type="application/json"`,
    `<${docs}>; rel="service-doc"; type="text/html"`,
    `<${mount}/health/ready>; rel="status"; type="application/json"`
  ].join(", ")
  const shared = ["Vary", "Accept", "Link", links]
  const html: StaticFile = {
    type: "text/html; charset=utf-8",
    text: page(paths, title, authentication),
    headers: [...shared, "Content-Security-Policy", policy, "Referrer-Policy", "no-referrer", "X-Frame-Options", "DENY"]
  }
  const json: StaticFile = {
    type: "application/json",
    text: `${JSON.stringify(
      {
        name: title,
        version,
        api: base || "/",
        docs,
        openapi: `${mount}/openapi.json`,
        health: { live: `${mount}/health/live`, ready: `${mount}/health/ready` }
      },
      null,
      2
    )}\n`,
    headers: shared
  }
  return { html, json }
}

/** Whether a client, such as a browser, prefers HTML to JSON; one that accepts anything does not. */
const prefersHtml = (accept: string | undefined): boolean => {
  if (accept === undefined) return false
  const accepted = qualityValues(accept)
  const html = accepted.get("text/html") ?? accepted.get("text/*") ?? 0
  return html > 0 && html >= (accepted.get("application/json") ?? accepted.get("application/*") ?? 0)
}

/** Serves the first page: links to the API, its reference, its document and its health, as HTML for browsers and as JSON. */
export const rootRoute = (paths: PublicPaths, authentication: Authentication): Route => {
  const { html, json } = files(paths, authentication)
  const respondHtml = staticResponse(async () => html, false)
  const respondJson = staticResponse(async () => json, false)
  return {
    name: "root",
    kind: "page",
    run: (context) => (prefersHtml(context.header("accept")) ? respondHtml : respondJson)(context)
  }
}
