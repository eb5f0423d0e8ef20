/** What a request is answered, whichever way it came. */
export interface Answer {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: Array<string>
  /** JSON; empty where there is no body. */
  readonly body: string
}

/** An answer with a body. */
export const jsonAnswer = (status: number, headers: Array<string>, body: string): Answer => {
  headers.push("Content-Type", "application/json")
  return { status, headers, body }
}
