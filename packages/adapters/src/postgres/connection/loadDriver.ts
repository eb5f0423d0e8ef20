import { InternalError } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import type { OwnDriverClient } from "./driver.ts"

const notInstalled = 'PostgreSQL needs the package "pg". Install it: npm install pg'

/** The package `pg`, as far as the adapter uses it. */
interface Driver {
  readonly Client: new (config: object) => OwnDriverClient
}

/** Loads the driver on first use: apps with other storages need not install it. */
export const loadDriver: Effect.Effect<Driver, InternalError> = Effect.tryPromise({
  try: async () => (await import("pg")).default,
  catch: (cause) => new InternalError({}, { message: notInstalled, cause })
})
