import { isSecretKey } from "@petstore/core/services"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { FlagSetting, Setting } from "../Setting.ts"

/** Of keys separated by commas or white space, at least one; undefined if one of them is none. */
export const parseSecretKeys = (text: string): ReadonlyArray<string> | undefined => {
  const keys = text.split(/[\s,]+/).filter((key) => key !== "")
  return keys.length > 0 && keys.every(isSecretKey) ? keys : undefined
}

/** Not a flag, as the admin key. */
export const secretKey: Setting<Redacted.Redacted<ReadonlyArray<string>> | undefined> = {
  env: "PETSTORE_SECRET_KEY",
  default: "",
  metavar: "KEY",
  description: "The key that encrypts secrets of webhooks, before earlier ones",
  expected:
    "32 random bytes in base64, as openssl rand -base64 32 prints them, or several such keys separated by commas",
  secret: true,
  parse: (text) => {
    if (text === "") return Option.some(undefined)
    return Option.map(Option.fromUndefinedOr(parseSecretKeys(text)), (keys) => Redacted.make(keys))
  }
}

/** The path of a file with the keys, one a line; undefined for none. */
export const secretKeyFile: FlagSetting<string | undefined> = {
  flag: "secret-key-file",
  env: "PETSTORE_SECRET_KEY_FILE",
  default: "none",
  metavar: "FILE|none",
  description: "File with the key that encrypts secrets of webhooks, instead of the variable PETSTORE_SECRET_KEY",
  expected: "none, or the path of a file",
  parse: (text) => Option.some(text === "none" ? undefined : text)
}
