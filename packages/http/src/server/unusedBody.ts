import { MalformedRequest } from "@petstore/core/domain"
import { Effect } from "effect"
import type { Exchange } from "./Exchange.ts"

/** The client stopped in the middle of the body. */
export const endedTooEarly = (cause?: unknown): MalformedRequest =>
  new MalformedRequest({}, { message: "The body ended too early.", ...(cause === undefined ? {} : { cause }) })

/** The body of an operation that takes none is over the limit. */
export const unusedTooLarge = (limit: number): MalformedRequest =>
  new MalformedRequest({}, { message: `This operation takes no body, and ignores one of up to ${limit} bytes only.` })

const chunked = /^chunked$/i

const unknownCoding = (): MalformedRequest =>
  new MalformedRequest({}, { message: "The only transfer coding that is understood is chunked." })

/**
 * Goes on once a request has wholly arrived whose body is not used: a request that turns out to be malformed, or whose
 * client breaks off, has no effect (RFC 9112, section 6.3).
 */
export const onceArrived = <A, E>(
  exchange: Exchange,
  limit: number,
  proceed: () => Effect.Effect<A, E>
): Effect.Effect<A, E | MalformedRequest> => {
  const { incoming } = exchange
  if (!incoming.hasBody()) return proceed()
  exchange.phase = "receiving"
  return Effect.flatMap(incoming.discard(limit), (): Effect.Effect<A, E | MalformedRequest> => {
    exchange.phase = "running"
    return chunked.test(incoming.header("transfer-encoding") ?? "chunked") ? proceed() : Effect.fail(unknownCoding())
  })
}
