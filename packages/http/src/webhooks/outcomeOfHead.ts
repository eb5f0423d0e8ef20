import type { IncomingMessage } from "node:http"
import { type Failure, failure } from "./failures.ts"
import { retryAfterOf } from "./retryAfter.ts"

const failureOfStatus = (status: number): Failure => {
  if (status === 410) return failure("gone", "The receiver responded 410: it wants no more events.", status)
  if (status >= 300 && status < 400) {
    return failure("redirect", `The receiver redirects (${status}). Give the URL that it redirects to.`, status)
  }
  return failure("status", `The receiver responded ${status}.`, status)
}

/** The outcome if status and headers decide it, which they do unless the status is 2xx. */
export const outcomeOfHead = ({ headers, statusCode = 0 }: IncomingMessage, now: number): Failure | undefined => {
  if (statusCode >= 200 && statusCode < 300) return undefined
  const retryAfter = retryAfterOf(headers["retry-after"], now)
  return { ...failureOfStatus(statusCode), ...(retryAfter === undefined ? {} : { retryAfter }) }
}
