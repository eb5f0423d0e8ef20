import { MalformedJson, PayloadTooLarge, UnsupportedContentType } from "@petstore/core/domain"
import * as Result from "effect/Result"
import { parseJson } from "../../parseJson.ts"
import type { Exchange } from "../Exchange.ts"

const json = /^application\/json[ \t]*(?:;|$)/i
const decimal = /^[0-9]+$/
const chunked = /^chunked$/i

/** Whether the bytes that arrive are not yet those of the JSON: nothing decompresses them. */
const isEncoded = (exchange: Exchange): boolean =>
  exchange.header("content-encoding") !== undefined || !chunked.test(exchange.header("transfer-encoding") ?? "chunked")

/** What can be said against a body before it is received. */
export const refuseBody = (exchange: Exchange, limit: number): UnsupportedContentType | PayloadTooLarge | undefined => {
  const type = exchange.header("content-type")
  if (type === undefined || !json.test(type) || isEncoded(exchange)) {
    return new UnsupportedContentType({})
  }
  const length = exchange.header("content-length")
  return length !== undefined && decimal.test(length) && Number(length) > limit
    ? new PayloadTooLarge({ limit })
    : undefined
}

// A byte order mark is not JSON.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The value that the bytes of a body stand for. */
export const readJson = (bytes: Uint8Array): Result.Result<unknown, MalformedJson> => {
  try {
    return Result.succeed(parseJson(utf8.decode(bytes)))
  } catch {
    return Result.fail(new MalformedJson({}))
  }
}
