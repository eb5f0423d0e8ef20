import * as Result from "effect/Result"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { PlainSchema } from "../api/operation.ts"

/** A response before it is decoded. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const json = /^application\/json[ \t]*(?:;|$)/i

/** The value of a JSON text, or what was found instead. */
export const readJsonText = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail("broken JSON")
  }
}

/** The value of a JSON body, or what was found instead. */
export const readJson = ({ headers, text }: RawResponse): Result.Result<unknown, string> => {
  const type = headers.get("content-type")
  return type !== null && json.test(type) ? readJsonText(text) : Result.fail(type ?? "no Content-Type")
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const described = (issue: SchemaIssue.Issue): string =>
  format(issue)
    .issues.map(({ message, path = [] }) => `JSON of another shape, at /${path.map(String).join("/")}: ${message}`)
    .join(", ")

/** Makes a decoder for values that were JSON, which describes what was found instead. */
export const jsonDecoder = (schema: PlainSchema): ((json: unknown) => Result.Result<unknown, string>) => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  return (json) => Result.mapError(decode(json), described)
}
