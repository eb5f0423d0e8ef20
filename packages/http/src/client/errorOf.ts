import { type ErrorBody, fromBody } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { type ClientError, UnexpectedResponse, UnlistedError } from "./ClientErrors.ts"
import { type RawResponse, readJson } from "./RawResponse.ts"
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

/** The error for a response that no petstore sends. */
export const unexpectedResponse = (
  request: EncodedRequest,
  { status }: RawResponse,
  content: string
): UnexpectedResponse => {
  const { method, path } = request
  return new UnexpectedResponse(
    { responseStatus: status, mayBeDone: method !== "GET" && (isSuccess(status) || status >= 500) },
    {
      message: `The response to ${method} ${path} is not from a petstore: status ${status} with ${content}. Check the baseUrl, and proxies on the way.`
    }
  )
}

const receivedInstead = ({ headers, status }: RawResponse, instead: string): string => {
  const location = status >= 300 && status < 400 ? headers.get("location") : null
  return location === null ? instead : `a redirection to ${location}`
}

/** The error in a response. */
export const errorOf = (request: EncodedRequest, response: RawResponse): ClientError => {
  const json = response.status < 400 ? Result.fail("no error in it") : readJson(response)
  if (Result.isFailure(json)) return unexpectedResponse(request, response, receivedInstead(response, json.failure))
  const body = decodeBody(json.success)
  if (Result.isFailure(body)) return unexpectedResponse(request, response, "JSON that is not an error of a petstore")
  return fromBody(body.success) ?? new UnlistedError(body.success)
}
