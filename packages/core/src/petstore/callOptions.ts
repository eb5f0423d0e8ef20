import * as Schema from "effect/Schema"
import { durationOption, type OptionSchema, type OptionSchemas, optionsCheck, signalOption } from "../domain/options.ts"
import type { CallOptions, ChangeOptions, ReserveOptions } from "../services/Options.ts"
import type { EmbeddedCallOptions } from "./Petstore.ts"

// Keys and versions are checked by the use cases, whose errors a remote caller receives too.
const shared = {
  signal: signalOption,
  idempotencyKey: Schema.Unknown,
  ifVersion: Schema.Unknown,
  reserveFor: durationOption
} satisfies OptionSchemas<CallOptions & ChangeOptions & ReserveOptions>

const embedded = { ...shared, transaction: Schema.Unknown } satisfies OptionSchemas<
  EmbeddedCallOptions & ChangeOptions & ReserveOptions
>

/** Makes a check that throws a TypeError for options which a method does not take. */
const checkOf = (schemas: Readonly<Record<string, OptionSchema>>) => {
  const check = optionsCheck("This method", "{ signal }", schemas)
  return (options: unknown): void => {
    if (options !== undefined && options !== null) check(options)
  }
}

/**
 * Throws a TypeError for options that the methods of a remote petstore do not take: the caller may rely on one that would be
 * ignored.
 */
export const checkRemoteOptions = checkOf(shared)

/** Throws a TypeError for options that the methods of an in-process petstore do not take. */
export const checkEmbeddedOptions = checkOf(embedded)

/** Throws a TypeError for options of the methods that never run in a transaction of the host application. */
export const checkCallOptions = checkOf({ signal: signalOption } satisfies OptionSchemas<CallOptions>)
