import type { StorageAdapter } from "../ports/Storage.ts"
import type { EngineOptions } from "../services/Engine.ts"
import { checkAdapter } from "../services/storageLayer.ts"

/** What a petstore is opened with. Unknown options are refused with a TypeError. */
export interface PetstoreOptions extends EngineOptions {
  /** Where the data lives; in memory if absent. */
  readonly storage?: StorageAdapter
}

/** The names of all options. */
export const petstoreOptions: ReadonlyArray<string> = ["storage", "rules"] satisfies ReadonlyArray<
  keyof PetstoreOptions
>

/** Refuses what plain JavaScript may give instead of options; `caller` is the function they were given to. */
export const checkOptions = (caller: string, options: PetstoreOptions, known = petstoreOptions): void => {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${caller} takes an object of options, such as { storage: memory() }`)
  }
  const unknown = Object.keys(options).filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new TypeError(`${caller} does not know the option ${unknown.join(", ")}; it takes ${known.join(", ")}`)
  }
  if (options.storage !== undefined) checkAdapter(options.storage)
}
