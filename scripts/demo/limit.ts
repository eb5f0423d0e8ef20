const limitMillis = 300_000

/** Ends the story where it hangs. */
export const until = AbortSignal.timeout(limitMillis)
