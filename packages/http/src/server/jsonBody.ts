import { MalformedJson, PayloadTooLarge, UnsupportedContentType } from "@petstore/core/domain"
import { Result } from "effect"
import type { Exchange } from "./Exchange.ts"

const json = /^application\/json[ \t]*(?:;|$)/i
const decimal = /^[0-9]+$/

/** What can be said against a body before it is received. */
export const refuseBody = (exchange: Exchange, limit: number): UnsupportedContentType | PayloadTooLarge | undefined => {
  const type = exchange.header("content-type")
  if (type === undefined || !json.test(type) || exchange.header("content-encoding") !== undefined) {
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
export const parseJson = (bytes: Uint8Array): Result.Result<unknown, MalformedJson> => {
  try {
    return Result.succeed(JSON.parse(utf8.decode(bytes)))
  } catch {
    return Result.fail(new MalformedJson({}))
  }
}
