import * as Result from "effect/Result"

/** A response before it is decoded. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const json = /^application\/json[ \t]*(?:;|$)/i

/** The value of a JSON body, or what was found instead. */
export const readJson = ({ headers, text }: RawResponse): Result.Result<unknown, string> => {
  const type = headers.get("content-type")
  if (type === null || !json.test(type)) return Result.fail(type ?? "no Content-Type")
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail("broken JSON")
  }
}
