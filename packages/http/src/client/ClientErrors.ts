import { type ErrorBody, failure, type KnownError, PetstoreError } from "@petstore/core/domain"

// Details are plain records, which an interface could be extended beyond.
type Doubt = {
  /** Whether the request may have been carried out all the same. Never of a reading. */
  readonly mayBeDone: boolean
}

const unknownOutcome = "It is not known whether the request was carried out."

/** There was no connection, or it broke before the answer had come. */
export class ConnectionLost extends failure(
  "ConnectionLost",
  "connection_lost",
  502,
  ({ mayBeDone }: Doubt) =>
    `The petstore could not be reached, or the connection broke. ${mayBeDone ? unknownOutcome : "Nothing was changed."}`
) {}

/** The answer took longer than the client waits. */
export class NoAnswerInTime extends failure(
  "NoAnswerInTime",
  "no_answer_in_time",
  504,
  ({ mayBeDone, seconds }: Doubt & { readonly seconds: number }) =>
    `There was no answer within ${seconds} s. ${mayBeDone ? unknownOutcome : "Nothing was changed."}`
) {}

/** An answer that no petstore gives: of a proxy, of another server, or cut short. `answered` is its HTTP status. */
export class UnexpectedAnswer extends failure(
  "UnexpectedAnswer",
  "unexpected_answer",
  502,
  ({ answered, mayBeDone }: Doubt & { readonly answered: number }) =>
    `A status ${answered} was answered that is not of a petstore.${mayBeDone ? ` ${unknownOutcome}` : ""}`
) {}

/** An error with a code that this client does not know: of a newer server, or of a rule of its host. */
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

/** Every way in which a call over HTTP can fail. */
export type ClientError = KnownError | ConnectionLost | NoAnswerInTime | UnexpectedAnswer | UnlistedError
