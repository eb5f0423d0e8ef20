import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type FlagSetting, isHttpUrl, type Setting } from "../Setting.ts"

/** The URL of a remote petstore; undefined for the database itself. */
export const remoteUrl: FlagSetting<string | undefined> = {
  flag: "url",
  env: "PETSTORE_URL",
  default: "none",
  metavar: "URL",
  description: "URL of the REST API of a petstore, such as https://pets.example/v1, to read from instead of a database",
  expected: "an http or https URL with the base path and without a user, password or query",
  parse: (text) => {
    if (text === "none") return Option.some(undefined)
    return isHttpUrl(text) && !/[?#]/.test(text) ? Option.some(text) : Option.none()
  }
}

/** Of the caller of a remote petstore. Not a flag, as the admin key. */
export const remoteKey: Setting<Redacted.Redacted<string> | undefined> = {
  env: "PETSTORE_KEY",
  default: "",
  metavar: "KEY",
  description: "The API key for --url",
  expected: "an API key",
  secret: true,
  parse: (text) => Option.some(text === "" ? undefined : Redacted.make(text))
}
