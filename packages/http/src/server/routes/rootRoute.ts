import { type Authentication, infoOf } from "../../openapi/info.ts"
import { qualityValues } from "../request/headerValues.ts"
import { htmlPage } from "./htmlPage.ts"
import type { PublicPaths } from "./PublicPaths.ts"
import type { Route } from "./Route.ts"
import { type StaticFile, staticResponse, staticSuccesses } from "./staticRoute.ts"

const access: Readonly<Record<Authentication, string>> = {
  apiKey: "<p>Send an API key with each request: <code>Authorization: Bearer &lt;API_KEY&gt;</code></p>",
  host: ""
}

const content = ({ base, docs, mount }: PublicPaths, authentication: Authentication): string =>
  `<p>The REST API is at <code>${base || "/"}</code>.</p>
    ${access[authentication]}
    <ul>
      <li><a href="${docs}">API reference</a>: read about every operation, and try it out</li>
      <li><a href="${docs}/errors">Errors</a>: what each error code means, and what to do</li>
      <li><a href="${mount}/openapi.yaml">OpenAPI description</a>, also <a href="${mount}/openapi.json">as JSON</a></li>
      <li><a href="${mount}/health/ready">Health</a>: whether the server is ready</li>
    </ul>`

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
  const html = htmlPage(title, content(paths, authentication), shared)
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
    successes: staticSuccesses,
    run: (context) => (prefersHtml(context.request.header("accept")) ? respondHtml : respondJson)(context)
  }
}
