export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  constructor(status: number, code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

const sentences: Readonly<Record<string, string>> = {
  precondition_failed: "Someone else changed this meanwhile. The page shows the new state: decide again."
}

export const messageOf = (error: unknown): string =>
  error instanceof ApiError
    ? (sentences[error.code] ?? error.message)
    : error instanceof Error
      ? error.message
      : String(error)
