import { type ErrorBody, failure, type KnownError, PetstoreError } from "@petstore/core/domain"

// Details are plain records; an interface could be extended beyond one.
type RequestOutcome = {
  /** Whether the request may have been carried out nevertheless; always false for reads. */
  readonly mayBeDone: boolean
}

type Unanswered = RequestOutcome & {
  /** The `baseUrl` of the client. */
  readonly address: string
}

const unknownOutcome = "It is not known whether the request was carried out."

/** There was no connection, or it broke before the response arrived. */
export class ConnectionLost extends failure(
  "ConnectionLost",
  "connection_lost",
  502,
  ({ address, mayBeDone }: Unanswered) =>
    `The petstore at ${address} could not be reached, or the connection broke. ${mayBeDone ? unknownOutcome : "Nothing was changed."}`
) {}

/** The response took longer than the `timeout` of the client. */
export class ResponseTimeout extends failure(
  "ResponseTimeout",
  "no_answer_in_time",
  504,
  ({ address, mayBeDone, seconds }: Unanswered & { readonly seconds: number }) =>
    `There was no response from ${address} within ${seconds} s. ${mayBeDone ? unknownOutcome : "Nothing was changed."}`
) {}

/** A response that no petstore sends: from a proxy, from another server, or cut short. `responseStatus` is its HTTP status. */
export class UnexpectedResponse extends failure(
  "UnexpectedResponse",
  "unexpected_answer",
  502,
  ({ mayBeDone, responseStatus }: RequestOutcome & { readonly responseStatus: number }) =>
    `A response with status ${responseStatus} is not from a petstore.${mayBeDone ? ` ${unknownOutcome}` : ""}`
) {}

/** An error with a code that this client does not know: from a newer server, or from a rule of its host application. */
export class UnlistedError extends PetstoreError {
  override readonly name: string = "UnlistedError"
  readonly _tag = "UnlistedError"
  readonly code: string
  readonly status: number

  constructor({ code, status, ...props }: ErrorBody) {
    super(props)
    this.code = code
    this.status = status
  }
}

/** The errors of a remote petstore. */
export type ClientError = KnownError | ConnectionLost | ResponseTimeout | UnexpectedResponse | UnlistedError
