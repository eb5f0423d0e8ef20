import * as Schema from "effect/Schema"
import { type OptionSchemas, optionsCheck } from "../domain/options.ts"
import type { StorageAdapter } from "../ports/Storage.ts"
import type { EngineOptions } from "../services/Engine.ts"
import { checkAdapter } from "../services/storageLayer.ts"

/** The options of `createPetstore`. Unknown options throw a TypeError. */
export interface PetstoreOptions extends EngineOptions {
  /** Where the data is stored; in memory if absent. */
  readonly storage?: StorageAdapter
}

const schemas = {
  storage: Schema.Unknown,
  rules: Schema.Unknown,
  retention: Schema.Unknown
} satisfies OptionSchemas<PetstoreOptions>

const check = optionsCheck("createPetstore", "{ storage: memory() }", schemas)

/** Throws a TypeError for options of the wrong type, which plain JavaScript may pass. */
export const checkPetstoreOptions = (options: PetstoreOptions): void => {
  check(options)
  if (options.storage !== undefined) checkAdapter(options.storage)
}
