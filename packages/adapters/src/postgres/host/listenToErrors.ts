/** A client that emits `error` when it loses its connection, such as one of `pg`. */
interface ErrorEmitter {
  on(event: "error", listener: () => void): unknown
  removeListener(event: "error", listener: () => void): unknown
}

const isErrorEmitter = (value: object): value is ErrorEmitter =>
  "on" in value &&
  typeof value.on === "function" &&
  "removeListener" in value &&
  typeof value.removeListener === "function"

/** How many calls run on a client. */
const calls = new WeakMap<object, number>()

const ignore = (): void => {}

/**
 * Listens to errors of the client of the host application while a call runs on it, until the returned function is called: an
 * `error` without a listener would end the process. Calls on the same client share one listener.
 */
export const listenToErrors = (client: object): (() => void) => {
  if (!isErrorEmitter(client)) return () => {}
  const change = (by: 1 | -1): number => {
    const count = (calls.get(client) ?? 0) + by
    calls.set(client, count)
    return count
  }
  if (change(1) === 1) client.on("error", ignore)
  return () => {
    if (change(-1) === 0) client.removeListener("error", ignore)
  }
}
