import { MalformedRequest } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { Exchange } from "../Exchange.ts"

/** The client stopped in the middle of the body. */
export const endedTooEarly = (cause?: unknown): MalformedRequest =>
  new MalformedRequest({}, { message: "The body ended too early.", ...(cause === undefined ? {} : { cause }) })

/** The body of an operation that takes none is over the limit. */
export const unusedTooLarge = (limit: number): MalformedRequest =>
  new MalformedRequest({}, { message: `This operation takes no body, and ignores one of up to ${limit} bytes only.` })

const chunked = /^chunked$/i

const unknownCoding = (): MalformedRequest =>
  new MalformedRequest({}, { message: "The only transfer coding that is understood is chunked." })

/** Receives a body that is not used, and fails if the request turns out to be malformed. */
const arrival = ({ incoming }: Exchange, limit: number): Effect.Effect<void, MalformedRequest> =>
  Effect.flatMap(incoming.discard(limit), () =>
    chunked.test(incoming.header("transfer-encoding") ?? "chunked") ? Effect.void : Effect.fail(unknownCoding())
  )

/**
 * Goes on once a request has wholly arrived whose body is not used: a request that turns out to be malformed, or whose
 * client breaks off, has no effect (RFC 9112, section 6.3), and its connection closes.
 */
export const onceArrived = <A, E>(
  exchange: Exchange,
  limit: number,
  proceed: () => Effect.Effect<A, E>
): Effect.Effect<A, E | MalformedRequest> => {
  if (!exchange.incoming.hasBody()) return proceed()
  exchange.phase = "receiving"
  return Effect.matchEffect(arrival(exchange, limit), {
    onFailure: (fault): Effect.Effect<A, E | MalformedRequest> => {
      exchange.endsConnection = true
      return Effect.fail(fault)
    },
    onSuccess: () => {
      exchange.phase = "running"
      return proceed()
    }
  })
}
