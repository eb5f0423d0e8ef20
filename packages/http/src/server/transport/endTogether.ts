import type { ServerResponse } from "node:http"
// A real one if a test replaces the global timers: what is held here must be sent.
import { setImmediate } from "node:timers"

type Body = string | Uint8Array

let responses: Array<ServerResponse> = []
let bodies: Array<Body> = []

/** Ends those that wait for it, before work that blocks the event loop. */
export const endWaiting = (): void => {
  if (responses.length === 0) return
  const ended = responses
  const sent = bodies
  responses = []
  bodies = []
  for (const [index, response] of ended.entries()) {
    // An error of one that was destroyed meanwhile would have no listener.
    if (!response.destroyed) response.end(sent[index])
  }
}

/**
 * Ends a response, whose headers are written, behind the others of this turn of the event loop. To wake up a client that waits costs the
 * system more than to make a response; a client or proxy that receives several at once is awake from the first on.
 */
export const endTogether = (response: ServerResponse, body: Body): void => {
  if (responses.push(response) === 1) setImmediate(endWaiting)
  bodies.push(body)
}
