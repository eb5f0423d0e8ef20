import { AppFault } from "../HttpRequest.ts"

export const ignore = (): void => {}

/** Effect's own takes 150 bytes for each call, and a request has dozens of them. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Wrappers of an app may be asynchronous. One that rejects must not end the process. */
export const ignoreRejection = (returned: unknown): void => {
  if (isPromise(returned)) returned.then(undefined, ignore)
}

const asyncObject = (): AppFault =>
  new AppFault(
    "A request or response object of the app returned a promise where that of node:http returns a value. Do not make its getters and methods async."
  )

/** Returns what an object of an app has or returned where node:http never has a promise. Throws if it is one. */
export const used = <A>(value: A): A => {
  if (typeof value !== "object" || !isPromise(value)) return value
  ignoreRejection(value)
  throw asyncObject()
}

/** Throws if one of several such values is a promise. */
export const requireValues = (values: ReadonlyArray<unknown>): void => {
  let areUsable = true
  for (const value of values) {
    if (typeof value !== "object" || !isPromise(value)) continue
    ignoreRejection(value)
    areUsable = false
  }
  if (!areUsable) throw asyncObject()
}
