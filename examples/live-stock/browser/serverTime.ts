import type { Store } from "./Store.ts"

let ahead = Number.NEGATIVE_INFINITY

/**
 * `fetch`, which learns the time of the server from the header `Date`. A response is never from the future, so the latest time counts. The
 * clock of the visitor's machine does not matter: `performance.now` only measures how long ago that was.
 */
export const fetchWithTime = async (url: string, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, init)
  const date = Date.parse(response.headers.get("date") ?? "")
  if (!Number.isNaN(date)) ahead = Math.max(ahead, date - performance.now())
  return response
}

/** The seconds that are left until a time of the server, by the responses so far; 0 when it is over. */
export const countdown = (until: string): Store<number> => {
  const get = () => Math.ceil(Math.max(0, Date.parse(until) - ahead - performance.now()) / 1000)
  return {
    get,
    subscribe: (onChange) => {
      const timer = setInterval(() => {
        onChange()
        if (get() === 0) clearInterval(timer)
      }, 250)
      return () => clearInterval(timer)
    }
  }
}

/** Such as 14:05. */
export const clockText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
