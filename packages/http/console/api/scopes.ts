import { computed, signal } from "@preact/signals"
import { session } from "./session.ts"

export const readOnly = signal(localStorage.getItem("petstore.console.readOnly") === "true")

export const setReadOnly = (value: boolean): void => {
  readOnly.value = value
  localStorage.setItem("petstore.console.readOnly", String(value))
}

const scopes = computed<ReadonlyArray<string>>(() => session.value?.scopes ?? [])
const has = (scope: string): boolean => scopes.value.includes("admin") || scopes.value.includes(scope)

const writes = /:(?:write|fulfil)$|^admin$/

/** Whether the session has a scope that changes something. */
export const mayWrite = computed(() => scopes.value.some((scope) => writes.test(scope)))
export const isAdmin = computed(() => scopes.value.includes("admin"))
export const mayRead = has
/** Whether the session sees events of any kind, or of its own orders. */
export const mayFollow = computed(() =>
  scopes.value.some((scope) => scope === "admin" || scope.startsWith("events:") || scope === "orders:own")
)

/** Why an action cannot be done; undefined if it can. */
export const whyNot = (...needed: ReadonlyArray<string>): string | undefined => {
  const missing = needed.find((scope) => !has(scope))
  if (missing !== undefined) return `Your key needs the scope ${missing}`
  return readOnly.value && needed.some((scope) => writes.test(scope)) ? "Look-only is on" : undefined
}
