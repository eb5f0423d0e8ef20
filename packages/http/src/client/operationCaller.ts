import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { OperationId } from "../api/operations.ts"
import { type Operation, operations } from "../api/operations.ts"
import type { ClientError } from "./ClientErrors.ts"
import type { ClientSettings } from "./ClientOptions.ts"
import { errorOf, unexpectedResponse } from "./errorOf.ts"
import { type Failure, failed } from "./Failure.ts"
import type { OperationRequest } from "./inputCheck.ts"
import { type Conditions, type EncodedRequest, type RequestEncoder, requestEncoder } from "./requestEncoder.ts"
import { type ResponseDecoder, responseDecoder } from "./responseDecoder.ts"
import { withRetries } from "./retry.ts"
import { sendRequest } from "./sendRequest.ts"

export type Call = (
  id: OperationId,
  input: OperationRequest,
  conditions?: Conditions
) => Effect.Effect<unknown, ClientError>

/** What all clients share for one operation. */
interface Codec {
  readonly operation: Operation
  readonly encode: RequestEncoder
  readonly decode: ResponseDecoder
}

const codecs: ReadonlyMap<OperationId, Codec> = new Map(
  operations.map((operation) => [
    operation.id,
    { operation, encode: requestEncoder(operation), decode: responseDecoder(operation) }
  ])
)

export const encoderOf = (id: OperationId): RequestEncoder => {
  const codec = codecs.get(id)
  if (codec === undefined) throw new TypeError(`The contract has no operation ${id}`)
  return codec.encode
}

/** 128 random bits. */
const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Whether sending a request a second time changes nothing more. */
const isRepeatable = ({ method, repeatable = false }: Operation, hasKey: boolean, conditions: Conditions): boolean => {
  if (hasKey) return true
  const { ifVersion } = conditions
  switch (method) {
    case "GET":
    case "DELETE":
      return true
    case "POST":
      return repeatable
    default:
      // One of several versions may be the one that the update itself results in.
      return ifVersion !== undefined && [ifVersion].flat().length === 1
  }
}

/** Makes the function that calls operations. */
export const caller = (settings: ClientSettings): Call => {
  const sendOnce = (request: EncodedRequest, { decode, operation }: Codec): Effect.Effect<unknown, Failure> =>
    Effect.matchEffect(sendRequest(request, settings), {
      onFailure: (error) => failed(error),
      onSuccess: (response) => {
        if (response.status !== operation.status) return failed(errorOf(request, response), response.headers)
        const value = decode(response)
        return Result.isSuccess(value)
          ? Effect.succeed(value.success)
          : failed(unexpectedResponse(request, response, value.failure))
      }
    })

  /** Adds an idempotency key to a request that has none, so that it can be repeated. */
  const withKey = (operation: Operation, conditions: Conditions): Conditions =>
    operation.idempotencyKey === "honoured" && conditions.idempotencyKey === undefined && settings.retries > 0
      ? { ifVersion: conditions.ifVersion, idempotencyKey: newIdempotencyKey() }
      : conditions

  return (id, input, given) =>
    Effect.suspend(() => {
      const codec = codecs.get(id)
      if (codec === undefined) throw new TypeError(`The contract has no operation ${id}`)
      const { encode, operation } = codec
      const conditions = withKey(operation, given ?? {})
      const request = encode(input, conditions)
      if (Result.isFailure(request)) return Effect.fail(request.failure)
      const hasKey = operation.idempotencyKey === "honoured" && conditions.idempotencyKey !== undefined
      const repetition = {
        method: operation.method,
        hasKey,
        repeatable: isRepeatable(operation, hasKey, conditions)
      }
      return withRetries(sendOnce(request.success, codec), repetition, settings)
    })
}
