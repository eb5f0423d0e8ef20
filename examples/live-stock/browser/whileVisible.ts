/**
 * Calls `follow` while the page can be seen, and again 5 seconds after it ended. Its signal is aborted when the page is hidden, and when the
 * function that is returned is called.
 */
export const whileVisible = (follow: (signal: AbortSignal) => Promise<void>): (() => void) => {
  let current: AbortController | undefined
  const run = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await follow(signal).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 5_000))
    }
  }
  const start = () => {
    current?.abort()
    current = document.hidden ? undefined : new AbortController()
    if (current !== undefined) void run(current.signal)
  }
  start()
  document.addEventListener("visibilitychange", start)
  return () => {
    document.removeEventListener("visibilitychange", start)
    current?.abort()
  }
}
