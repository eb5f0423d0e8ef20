import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Operation, operations } from "../api/operations.ts"
import type { OperationId } from "../api/PetstoreHttpApi.ts"
import { type AnswerDecoder, answerDecoder } from "./answerDecoder.ts"
import type { ClientError } from "./ClientErrors.ts"
import type { ClientSettings } from "./ClientOptions.ts"
import type { Conditions } from "./Conditions.ts"
import { errorOf, unexpectedAnswer } from "./errorOf.ts"
import { exchange } from "./exchange.ts"
import { type Failure, failed } from "./Failure.ts"
import type { OperationRequest } from "./inputCheck.ts"
import { type EncodedRequest, type RequestEncoder, requestEncoder } from "./requestEncoder.ts"
import { withRetries } from "./retry.ts"

/**
 * Calls one operation. A `repeatable` update is one that changes nothing more when it is sent again, whatever else happened
 * in between.
 */
export type Call = (
  id: OperationId,
  input: OperationRequest,
  conditions?: Conditions,
  repeatable?: "repeatable"
) => Effect.Effect<unknown, ClientError>

/** All that one operation needs, whichever client calls it. */
interface Wire {
  readonly operation: Operation
  readonly encode: RequestEncoder
  readonly decode: AnswerDecoder
}

const wires: ReadonlyMap<OperationId, Wire> = new Map(
  operations.map((operation) => [
    operation.id,
    { operation, encode: requestEncoder(operation), decode: answerDecoder(operation) }
  ])
)

/** 128 random bits. */
const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Whether carrying a request out a second time does nothing that the first did not. */
const isRepeatable = ({ idempotencyKey, method }: Operation, conditions: Conditions): boolean => {
  const { ifVersion } = conditions
  switch (method) {
    case "GET":
    case "DELETE":
      return true
    case "POST":
      return idempotencyKey === "honoured" && conditions.idempotencyKey !== undefined
    default:
      // Of several versions, one might be that which the update itself makes.
      return ifVersion !== undefined && [ifVersion].flat().length === 1
  }
}

/** Calls operations as the settings say. */
export const caller = (settings: ClientSettings): Call => {
  const attempt = (request: EncodedRequest, { decode, operation }: Wire): Effect.Effect<unknown, Failure> =>
    Effect.matchEffect(exchange(request, settings), {
      onFailure: (error) => failed(error),
      onSuccess: (answer) => {
        if (answer.status !== operation.status) return failed(errorOf(request, answer), answer.headers)
        const value = decode(answer)
        return Result.isSuccess(value)
          ? Effect.succeed(value.success)
          : failed(unexpectedAnswer(request, answer, value.failure))
      }
    })

  /** Creations that honour a key get one, so that they can be repeated. */
  const withKey = (operation: Operation, conditions: Conditions): Conditions =>
    operation.idempotencyKey === "honoured" && conditions.idempotencyKey === undefined && settings.retries > 0
      ? { ...conditions, idempotencyKey: newIdempotencyKey() }
      : conditions

  return (id, input, given, repeatable) =>
    Effect.suspend(() => {
      const wire = wires.get(id)
      if (wire === undefined) throw new TypeError(`The contract has no operation ${id}`)
      const { encode, operation } = wire
      const conditions = withKey(operation, given ?? {})
      const request = encode(input, conditions)
      if (Result.isFailure(request)) return Effect.fail(request.failure)
      const repetition = {
        method: operation.method,
        repeatable: repeatable !== undefined || isRepeatable(operation, conditions)
      }
      return withRetries(attempt(request.success, wire), repetition, settings)
    })
}
