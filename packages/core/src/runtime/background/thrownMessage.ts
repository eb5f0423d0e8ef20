/** The message of something that was thrown by the code of others, which may be a value without a text, or whose text throws. */
export const thrownMessage = (error: unknown): string => {
  try {
    return String(error instanceof Error ? error.message || error.name : error)
  } catch {
    return "Something was thrown that has no message."
  }
}
