import { promisify } from "node:util"
import { type BrotliOptions, brotliCompress, constants, gzip } from "node:zlib"
import { weights } from "../request/weights.ts"

/** How a body can be compressed, in the order of preference where a client has none. */
const codings = ["br", "gzip"] as const

/** A content coding (RFC 9110, section 8.4.1) that the server can apply. */
export type ContentCoding = (typeof codings)[number]

/** The coding that a client likes best by its `Accept-Encoding` (RFC 9110, section 12.5.3); undefined for none. */
export const preferredCoding = (acceptEncoding: string | undefined): ContentCoding | undefined => {
  if (acceptEncoding === undefined || acceptEncoding === "") return undefined
  const accepted = weights(acceptEncoding)
  const weightOf = (coding: string): number | undefined => accepted.get(coding)
  let best: ContentCoding | undefined
  // A client that names identity says how much it likes what is not compressed.
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

/** How much time a compression may take: `fast` for what is sent once, `small` for what is sent again and again. */
export type Effort = "fast" | "small"

const level: Readonly<Record<Effort, number>> = { fast: 6, small: 9 }

const brotli: Readonly<Record<Effort, BrotliOptions>> = {
  // A window of 256 KiB: lists are not longer, and a larger one takes memory for each.
  fast: { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  small: { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
}

const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)

/** Compresses in a thread of its own, so that the event loop goes on. */
export const compress = (coding: ContentCoding, body: string | Uint8Array, effort: Effort) =>
  coding === "br" ? asBrotli(body, brotli[effort]) : asGzip(body, { level: level[effort] })

/** Bytes from which compression pays: less fits into two packets anyway. */
export const worthCompressing = 2_048
