import { promisify } from "node:util"
import { type BrotliOptions, brotliCompress, constants, gzip } from "node:zlib"
import * as Effect from "effect/Effect"
import type { HttpResponse } from "../HttpResponse.ts"
import type { RequestContext } from "../RequestContext.ts"
import { qualityValues } from "../request/headerValues.ts"

/** The codings that the server can apply, in the order of preference if a client has none. */
const codings = ["br", "gzip"] as const

/** A content coding (RFC 9110, section 8.4.1). */
export type ContentCoding = (typeof codings)[number]

/** The coding that a client prefers by its `Accept-Encoding` (RFC 9110, section 12.5.3); undefined for none. */
export const preferredCoding = (acceptEncoding: string | undefined): ContentCoding | undefined => {
  if (acceptEncoding === undefined || acceptEncoding === "") return undefined
  const accepted = qualityValues(acceptEncoding)
  const weightOf = (coding: string): number | undefined => accepted.get(coding)
  let best: ContentCoding | undefined
  // A client that names identity states a weight for a body without compression too.
  let most = weightOf("identity") ?? 0
  for (const coding of codings) {
    const weight = weightOf(coding) ?? (coding === "gzip" ? weightOf("x-gzip") : undefined) ?? weightOf("*") ?? 0
    const isBetter = best === undefined ? weight >= most : weight > most
    if (weight > 0 && isBetter) {
      best = coding
      most = weight
    }
  }
  return best
}

/** How much time a compression may take: `fast` for a body that is sent once, `small` for one that is sent many times. */
type Effort = "fast" | "small"

const level: Readonly<Record<Effort, number>> = { fast: 6, small: 9 }

const brotli: Readonly<Record<Effort, BrotliOptions>> = {
  // A window of 256 KiB: lists are not longer, and a larger one takes memory for each.
  fast: { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  small: { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
}

const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)

/**
 * Compresses in the thread pool of Node.js, without blocking the event loop. For lists and documents only: lengths can reveal secrets of single
 * resources (BREACH), and `If-Match` keeps one form of tag. Fetch servers compress themselves.
 */
export const compress = (coding: ContentCoding, body: string | Uint8Array, effort: Effort) =>
  coding === "br" ? asBrotli(body, brotli[effort]) : asGzip(body, { level: level[effort] })

/** The smallest body in bytes that is compressed: a smaller one fits into two packets anyway. */
export const worthCompressingBytes = 2_048

/** Compressions that may wait for one of the four threads of Node.js. A list beyond is sent without compression, at once. */
const compressionLimit = 8

/** Compresses responses that are made for one request. */
export class Compression {
  private running = 0

  /** The same response, compressed if the client accepts it and the body is large enough. */
  apply(response: HttpResponse, context: RequestContext): Effect.Effect<HttpResponse> {
    const { body, headers, status } = response
    if (!context.request.canEncode) return Effect.succeed(response)
    headers.push("Vary", "Accept-Encoding")
    if (body.length < worthCompressingBytes || this.running >= compressionLimit) return Effect.succeed(response)
    const coding = preferredCoding(context.acceptEncoding)
    if (coding === undefined) return Effect.succeed(response)
    return Effect.callback((resume) => {
      this.running++
      compress(coding, body, "fast")
        .then(
          (compressed) => {
            headers.push("Content-Encoding", coding)
            return { status, headers, body: compressed }
          },
          () => response
        )
        .then((sent) => {
          this.running--
          resume(Effect.succeed(sent))
        })
    })
  }
}
