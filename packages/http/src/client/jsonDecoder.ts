import * as Result from "effect/Result"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type { PlainSchema } from "../api/operations.ts"

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
