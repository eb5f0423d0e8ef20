import type { Session } from "../../src/api/Server.ts"
import { go } from "../router.ts"
import { ApiError, messageOf } from "./ApiError.ts"
import { get } from "./request.ts"
import { signsIn } from "./server.ts"
import { apiKey, keyOfLink, signInError, signOut, startSession } from "./session.ts"

/** Asks the server who this is, with the candidate, with the stored key, or with the session of the app. */
export const signIn = async (candidate?: string): Promise<void> => {
  signInError.value = ""
  if (candidate !== undefined) apiKey.value = candidate.trim()
  if (signsIn === "apiKey" && apiKey.value === "") return
  try {
    const { data } = await get<Session>("/session")
    startSession(data)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) signOut(messageOf(error))
    else if (signsIn === "host") signOut("Sign in to the app first, then reload this page.")
    else signOut("This is not a valid API key.")
  }
}

// A link with a key that is opened in a tab with the console changes the fragment alone.
addEventListener("hashchange", () => {
  const key = keyOfLink()
  if (key === undefined) return
  go("#/", true)
  signOut()
  void signIn(key)
})
