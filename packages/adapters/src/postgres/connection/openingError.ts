import { InternalError, StorageBusy, StorageUnavailable } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import { lacksNames, sqlState } from "./errors.ts"

const advice: ReadonlyArray<readonly [pattern: RegExp, advice: string]> = [
  [
    /password must be a (?:non-empty )?string/,
    "The server asks for a password: set it in the URL, in PGPASSWORD or in a password file."
  ],
  [/does not support SSL/, "Turn on ssl on the server, or set sslmode=disable in the URL."],
  [/no encryption|SSL off/, "The server takes encrypted connections only: set sslmode=require in the URL."],
  [
    /certificate|altnames|signature/i,
    "Set sslrootcert=<file of the authority> in the URL or the option ssl: { ca }, and connect by a host name of the certificate; sslmode=no-verify encrypts without checking it."
  ]
]

const { message: busy } = new StorageBusy({})
const { message: unavailable } = new StorageUnavailable({})

const adviceByState: Readonly<Record<string, string>> = {
  "28P01": "Check the user and the password, which is in the URL, in PGPASSWORD or in a password file.",
  // The server says in its own language that it wants encryption.
  "28000":
    "Allow the user in pg_hba.conf of the server, or connect as another one; if it takes encrypted connections only, set sslmode=require in the URL.",
  "3D000": "Create the database, or correct its name in the URL.",
  "42501":
    "Grant the user what it lacks: USAGE and CREATE on the schema, or CREATE on the database so that it can create the schema."
}

const adviceFor = (cause: unknown, reason: string): string | undefined =>
  advice.find(([pattern]) => pattern.test(reason))?.[1] ?? adviceByState[sqlState(cause) ?? ""]

/** Node.js tries several addresses of a host and throws one error for all. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(", ")
  return cause instanceof Error ? cause.message : String(cause)
}

/**
 * The error for a database that could not be opened, with the reason: `InternalError` with what to correct if trying again
 * does not help, `StorageUnavailable` otherwise. It never contains a password.
 */
export const openingError =
  (address: string) =>
  (error: StorageError): StorageError => {
    const { cause } = error
    if (lacksNames(cause)) {
      return new InternalError({}, { message: `Cannot open the store at ${address}: ${error.message}`, cause })
    }
    // Some errors come with a message of their own; that of a wait for connections is about calls.
    const isWait = error instanceof StorageBusy && sqlState(cause) === undefined
    if (cause === undefined || !(isWait || [busy, unavailable].includes(error.message))) return error
    const reason = reasonOf(cause)
    const correction = adviceFor(cause, reason)
    const message = `Cannot open the store at ${address}: ${reason}`
    return correction === undefined
      ? new StorageUnavailable({}, { message, cause })
      : new InternalError({}, { message: `${message}. ${correction}`, cause })
  }
