import { type ErrorBody, fromBody } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { type ClientError, UnexpectedAnswer, UnlistedError } from "./ClientErrors.ts"
import { type RawAnswer, readJson } from "./RawAnswer.ts"
import type { EncodedRequest } from "./requestEncoder.ts"

const Body = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  status: Schema.Int,
  violations: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))),
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

const decodeBody: (json: unknown) => Result.Result<ErrorBody, unknown> = SchemaParser.decodeUnknownResult(Body)

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The error for an answer with something in it that no petstore answers. */
export const unexpectedAnswer = (request: EncodedRequest, { status }: RawAnswer, found: string): UnexpectedAnswer => {
  const { method, path } = request
  return new UnexpectedAnswer(
    { answered: status, mayBeDone: method !== "GET" && (isSuccess(status) || status >= 500) },
    {
      message: `${method} ${path} was answered ${status} with ${found}, which is not of a petstore. Check the baseUrl, and what stands in between.`
    }
  )
}

const found = ({ headers, status }: RawAnswer, instead: string): string => {
  const location = status >= 300 && status < 400 ? headers.get("location") : null
  return location === null ? instead : `a redirection to ${location}`
}

/** The error that was answered. */
export const errorOf = (request: EncodedRequest, answer: RawAnswer): ClientError => {
  const json = answer.status < 400 ? Result.fail("no error in it") : readJson(answer)
  if (Result.isFailure(json)) return unexpectedAnswer(request, answer, found(answer, json.failure))
  const body = decodeBody(json.success)
  if (Result.isFailure(body)) return unexpectedAnswer(request, answer, "JSON that is no error of its kind")
  return fromBody(body.success) ?? new UnlistedError(body.success)
}
