/** Why a webhook was not accepted. */
export type WebhookVerificationCode =
  /** A header of Standard Webhooks is missing. */
  | "missing_header"
  /** A header of Standard Webhooks is there more than once, or has a value that the petstore does not send. */
  | "malformed_header"
  /** The request was signed too long ago: it is late, or replayed. */
  | "timestamp_too_old"
  /** The request was signed in the future: the clock of the sender or of the receiver is wrong. */
  | "timestamp_too_new"
  /** No signature was made with a given secret for this id, time and body. */
  | "signature_mismatch"
  /** The signature is right, but the body is not an event of a petstore. */
  | "malformed_body"
  /** What was passed as the body is neither bytes nor text, because something parsed it before. */
  | "parsed_body"
  /** What was passed as the secret is not a secret of Standard Webhooks. */
  | "invalid_secret"

/** Faults of the receiver. The petstore sends the event again later, when they may have been corrected. */
const ofReceiver: ReadonlySet<WebhookVerificationCode> = new Set(["parsed_body", "invalid_secret"])

/**
 * The error that `verifyWebhook` rejects with. Its message says what to do, and contains neither secrets nor signatures nor
 * the body.
 */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly code: WebhookVerificationCode
  /** The status to respond with: 400 for a bad request, 500 for a fault in the receiver. */
  readonly status: 400 | 500

  constructor(code: WebhookVerificationCode, message: string) {
    super(message)
    this.code = code
    this.status = ofReceiver.has(code) ? 500 : 400
  }
}
