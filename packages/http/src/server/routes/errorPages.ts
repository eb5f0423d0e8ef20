import { catalogue, type ErrorCode, isErrorCode, NotFound } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { type ExampleCall, errorDocs } from "../../api/errorDocs.ts"
import { htmlPage } from "./htmlPage.ts"
import type { PublicPaths } from "./PublicPaths.ts"
import type { Route } from "./Route.ts"
import { staticResponse, staticRoute, staticSuccesses } from "./staticRoute.ts"

/** Characters of a long value that a page shows. */
const shownLength = 40

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** Markdown of one paragraph. Links to guides are left out: the server does not have them. */
const html = (markdown: string): string =>
  escaped(markdown)
    .replace(/\[([^[\]]+)\]\([^()]+\)/g, "$1")
    .replace(/`([^`]+)`/g, "<code>$1</code>")

const shortened = (text: string): string =>
  text.length <= 10 * shownLength
    ? text
    : text.replace(/(.)\1{40,}/g, (repeated) => `${repeated.slice(0, shownLength)}...`)

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The command that sends a request. */
const curlOf = ({ body, headers = {}, isAnonymous, method, path }: ExampleCall, base: string): string => {
  const sent = {
    ...(isAnonymous === true ? {} : { Authorization: "Bearer <API_KEY>" }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...headers
  }
  return [
    `curl -X ${method} ${quoted(`https://<HOST>${base}${path}`)}`,
    ...Object.entries(sent).map(([name, value]) => `-H ${quoted(shortened(`${name}: ${value}`))}`),
    ...(body === undefined ? [] : [`-d ${quoted(shortened(JSON.stringify(body)))}`])
  ].join(" \\\n  ")
}

const causeOf = (code: ErrorCode, base: string): string => {
  const { cause } = errorDocs[code]
  if (typeof cause === "string") return `<p>${html(cause)}</p>`
  return `<p>In an empty store:</p>
    <pre><code>${cause.map((call) => escaped(curlOf(call, base))).join("\n\n")}</code></pre>`
}

const pageOf = (code: ErrorCode, { base, docs }: PublicPaths) => {
  const { happened, remedy } = errorDocs[code]
  return htmlPage(
    code,
    `<p>Status ${catalogue[code].status}. <a href="${docs}/errors">All errors</a></p>
    <h2>What happened</h2>
    <p>${html(happened)}</p>
    <h2>What to do</h2>
    <p>${html(remedy)}</p>
    <h2>What causes it</h2>
    ${causeOf(code, base)}`
  )
}

const indexOf = ({ docs }: PublicPaths) => {
  const codes = Object.values(catalogue).map(
    ({ code, status }) =>
      `<li><a href="${docs}/errors/${code}"><code>${code}</code></a> (${status}): ${html(errorDocs[code].happened)}</li>`
  )
  return htmlPage(
    "Errors",
    `<p>Each error of the <a href="${docs}">API</a> has a code, which is stable. The response links to its page.</p>
    <ul>
      ${codes.join("\n      ")}
    </ul>`
  )
}

/** The pages about errors, by path: one for each code, and a list of them. */
export const errorPageRoutes = (paths: PublicPaths): ReadonlyArray<readonly [path: string, route: Route]> => {
  const pages = new Map<string, Route["run"]>()
  const page = (code: ErrorCode): Route["run"] => {
    const respond = pages.get(code) ?? staticResponse(async () => pageOf(code, paths), false)
    pages.set(code, respond)
    return respond
  }
  const route: Route = {
    name: "error page",
    kind: "page",
    successes: staticSuccesses,
    run: (context) => {
      const [code = ""] = context.pathValues
      if (isErrorCode(code)) return page(code)(context)
      return Effect.fail(
        new NotFound({}, { message: `No error has this code. ${paths.docs}/errors lists the codes of the API.` })
      )
    }
  }
  return [
    ["/docs/errors", staticRoute("error pages", async () => indexOf(paths), false)],
    ["/docs/errors/:code", route]
  ]
}
