import { userInfo } from "node:os"
import { formatTimestamp, limits, type Preset } from "@petstore/core/domain"
import { Petstore, Storage } from "@petstore/core/effect"
import { storeMillis } from "@petstore/core/runtime"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { openExisting } from "../database.ts"
import { readSetting } from "../Setting.ts"
import type { Database } from "../settings.ts"
import * as settings from "../settings.ts"
import { findOrCreateAccount } from "./accounts.ts"

interface LinkInput {
  readonly database: Database
  readonly preset: Preset
  readonly lifetime: Duration.Duration
  readonly url: Option.Option<string>
}

/** Who runs the command; nobody for a user without a name, as in some containers. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return "nobody"
  }
}

/** Creates a key for a person, and prints a link to the console that signs in with it. */
export const link = ({ database, lifetime, preset, url }: LinkInput) =>
  Effect.gen(function* () {
    const petstore = yield* Petstore
    const now = yield* storeMillis(yield* Storage)
    const expiresAt = formatTimestamp(now + Duration.toMillis(lifetime))
    const account = yield* findOrCreateAccount("Console")
    const name = `console:${userName()}`.slice(0, limits.keyName)
    const { id, key } = yield* petstore.apiKeys.create({ accountId: account.id, name, preset, expiresAt })
    const server = Option.isSome(url) ? url.value : `http://127.0.0.1:${yield* readSetting(settings.port)}`
    yield* Console.log(`${server}${server.endsWith("/") ? "" : "/"}console#key=${key}`)
    yield* Console.error(
      `Open it in a browser. It signs you in with the preset ${preset} until ${expiresAt}, and contains a key: share it with nobody. petstore keys revoke ${id} ends it earlier.`
    )
  }).pipe(Effect.provide(openExisting(database)))
