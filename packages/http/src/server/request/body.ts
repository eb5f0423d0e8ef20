import {
  MalformedJson,
  type MalformedRequest,
  PayloadTooLarge,
  type PetstoreError,
  UnsupportedContentType
} from "@petstore/core/domain"
import { type Direct, direct, goOn } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { parseJson } from "../../parseJson.ts"
import type { WorkShares } from "../limits/WorkShares.ts"
import type { RequestContext } from "../RequestContext.ts"

const json = /^application\/json[ \t]*(?:;|$)/i
const decimal = /^[0-9]+$/
/** The bytes as they are (RFC 9110, section 8.4.1). */
const identity = /^identity$/i

/** Returns why the headers of a request announce a body that cannot be read; undefined if it can. Nothing is decompressed. */
export const refuseBody = (
  context: RequestContext,
  limit: number
): UnsupportedContentType | PayloadTooLarge | undefined => {
  const type = context.request.header("content-type")
  const isEncoded = !identity.test(context.request.header("content-encoding") ?? "identity")
  if (type === undefined || !json.test(type) || isEncoded) return new UnsupportedContentType({})
  const length = context.request.header("content-length")
  return length !== undefined && decimal.test(length) && Number(length) > limit
    ? new PayloadTooLarge({ limit })
    : undefined
}

// A byte order mark is not JSON.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The index of the first byte that is not UTF-8, or of one of the two before it. */
const badByte = (bytes: Uint8Array): number => {
  const repaired = new TextEncoder().encode(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))
  return repaired.findIndex((byte, index) => byte !== bytes[index])
}

const problemOf = (bytes: Uint8Array, error: unknown): string => {
  if (bytes.length === 0) return "The body is empty"
  return error instanceof SyntaxError
    ? `The body is not valid JSON: ${error.message}`
    : `The body is not UTF-8 from byte ${badByte(bytes) + 1}`
}

/** Parses a body as JSON in UTF-8. */
export const readJson = (bytes: Uint8Array): Result.Result<unknown, MalformedJson> => {
  try {
    return Result.succeed(parseJson(utf8.decode(bytes)))
  } catch (error) {
    return Result.fail(new MalformedJson({}, { message: `${problemOf(bytes, error)}. Send one JSON object.` }))
  }
}

/** Receives the body of a request. No fiber waits for it: to suspend and resume one takes longer than to parse the body. */
export const receiveBody = (
  context: RequestContext,
  limit: number,
  shares: WorkShares
): Direct<Uint8Array, PetstoreError> =>
  direct((_asker, done) => {
    context.phase = "receivingBody"
    try {
      const stop = context.request.receive(limit, (received) => {
        if (Result.isFailure(received)) return done(Exit.fail(received.failure))
        context.phase = "running"
        shares.measure(
          () => done(Exit.succeed(received.success)),
          () => context.callerId
        )
      })
      return () => {
        stop()
        done(Exit.interrupt())
      }
    } catch (defect) {
      done(Exit.die(defect))
      return () => {}
    }
  })

/**
 * Runs an operation that takes no body once the whole request has arrived: a request that turns out to be malformed, or
 * whose client disconnects, has no effect (RFC 9112, section 6.3), and its connection closes.
 */
export const afterUnusedBody = <A, E>(
  context: RequestContext,
  limit: number,
  operation: () => Effect.Effect<A, E>
): Effect.Effect<A, E | MalformedRequest> => {
  context.phase = "receivingBody"
  const discarded = Effect.tapError(context.request.discard(limit), () =>
    Effect.sync(() => {
      context.closesConnection = true
    })
  )
  return goOn(discarded, () => {
    context.phase = "running"
    return operation()
  })
}
