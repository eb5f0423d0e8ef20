const limitMillis = 300_000

/** Ends the story if it hangs. */
export const until = AbortSignal.timeout(limitMillis)
