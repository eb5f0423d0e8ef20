import type { ClientRequest, IncomingMessage } from "node:http"
import { nextTick } from "node:process"
import type { WebhookOutcome } from "@petstore/core/ports"
import { failure, failureOf, outcomeOfHead } from "./failures.ts"

/**
 * How many bytes of a response may be other than its body and as much framing: headers, and what may come before, between and
 * after parts of a response without an end, such as interim responses and empty lines.
 */
const overheadBytes = 65_536

/**
 * Sends the body of a request, and reads its response. Calls `done` once, with the outcome, and ends the connection if the
 * response is not read to its end. Returns the status of a response that has begun.
 */
export const exchange = (
  request: ClientRequest,
  body: string,
  limit: number,
  now: () => number,
  done: (outcome: WebhookOutcome) => void
): (() => number | undefined) => {
  let status: number | undefined
  let isDone = false
  const end = (outcome: WebhookOutcome): void => {
    if (isDone) return
    isDone = true
    done(outcome)
  }
  const abandon = (outcome: WebhookOutcome): void => {
    if (isDone) return
    end(outcome)
    request.destroy()
  }
  const fail = (error: Error): void => abandon(failureOf(error, status))
  // Every request ends with this, also if no error says why.
  const closed = (): void => abandon(failureOf({ code: "ECONNRESET" }, status))

  const read = (response: IncomingMessage, status: number): void => {
    let size = 0
    response.on("data", (chunk: Uint8Array) => {
      size += chunk.length
      if (size > limit) abandon(failure("response_too_large", `The response is larger than ${limit} bytes.`, status))
    })
    response.on("end", () => {
      if (isDone) return
      isDone = true
      // Not before the connection is free for the next request, which may follow at once.
      nextTick(done, { delivered: true, status })
    })
    response.on("error", fail)
  }

  request.on("response", (response) => {
    const { statusCode = 0 } = response
    if (statusCode < 100 || statusCode > 599) {
      return abandon(failure("invalid_response", "The response has a status that HTTP does not define."))
    }
    status = statusCode
    const outcome = outcomeOfHead(response, now())
    if (outcome === undefined) read(response, status)
    else abandon(outcome)
  })
  request.on("socket", (socket) => {
    let size = 0
    const count = (chunk: Uint8Array) => {
      size += chunk.length
      if (size > 2 * limit + overheadBytes) {
        abandon(
          failure("response_too_large", `The response has more than ${overheadBytes} bytes around its body.`, status)
        )
      }
    }
    socket.on("data", count)
    request.once("close", () => socket.off("data", count))
  })
  request.on("upgrade", () =>
    abandon(failure("invalid_response", "The receiver switched to a protocol that was not asked for.", 101))
  )
  request.on("error", fail)
  request.on("close", closed)
  request.end(body)
  return () => status
}
