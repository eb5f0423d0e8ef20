import * as Result from "effect/Result"

/** A response before it is decoded. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const json = /^application\/json[ \t]*(?:;|$)/i

/** The value of a JSON text, or what was found instead. */
export const parseJson = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail("broken JSON")
  }
}

/** The value of a JSON body, or what was found instead. */
export const readJson = ({ headers, text }: RawResponse): Result.Result<unknown, string> => {
  const type = headers.get("content-type")
  return type !== null && json.test(type) ? parseJson(text) : Result.fail(type ?? "no Content-Type")
}
