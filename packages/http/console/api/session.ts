import { signal } from "@preact/signals"
import type { Session } from "../../src/api/Server.ts"
import { signsIn } from "./server.ts"

const stored = "petstore.console.key"

/** A key in the fragment (`petstore console` prints such a link) never reaches a server, a log or the history. */
export const keyOfLink = (): string | undefined => {
  const key = /^#key=([\w.~+/=-]+)$/.exec(location.hash)?.[1]
  if (key !== undefined) history.replaceState(null, "", location.pathname)
  return key
}

/** The key that requests are sent with; empty with the session of an app. */
export const apiKey = signal<string>(keyOfLink() ?? sessionStorage.getItem(stored) ?? "")

export const session = signal<Session | undefined>(undefined)
export const signInError = signal<string>("")

export const authorization = (): Record<string, string> =>
  apiKey.value === "" ? {} : { authorization: `Bearer ${apiKey.value}` }

export const startSession = (now: Session): void => {
  if (signsIn === "apiKey") sessionStorage.setItem(stored, apiKey.value)
  session.value = now
}

/** Signs out; the message says why, if nobody asked for it. */
export const signOut = (message = ""): void => {
  apiKey.value = ""
  sessionStorage.removeItem(stored)
  session.value = undefined
  signInError.value = message
}

/** What becomes of a session that the server no longer accepts. */
export const loseSession = (): void => signOut("The key is no longer valid: it was revoked, or it expired.")
