/** The messages of an error and of its causes. */
export const reasons = (error: unknown): string =>
  error instanceof Error
    ? `${error.message}${error.cause === undefined ? "" : ` < ${reasons(error.cause)}`}`
    : `${error}`
