import { Cause, Context, Effect, Layer, Option, Version } from "effect"
import { missingOperations } from "../ports/missingOperations.ts"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"

const dedupe = "See which copies there are with `npm ls effect`, and make them one with `npm dedupe`."

const quoted = (name: string): string => JSON.stringify(String(name))

const found = (value: unknown): string => {
  if (typeof value === "function") return "a function: call it"
  return typeof value === "string" ? JSON.stringify(value) : String(value)
}

/** How the layers of Effect 3 are known. */
const effect3 = Symbol.for("effect/Layer")

/** Throws a TypeError for what is no adapter, such as a file name, or one that is built on an Effect of another kind. */
export const checkAdapter = (adapter: StorageAdapter): void => {
  if (typeof adapter !== "object" || adapter === null || typeof adapter.layer !== "object" || adapter.layer === null) {
    throw new TypeError(`The storage of a petstore is a storage adapter, such as memory(), not ${found(adapter)}`)
  }
  if (Layer.isLayer(adapter.layer)) return
  const other = effect3 in adapter.layer ? "Effect 3" : "no Effect that is known here"
  throw new TypeError(
    `The storage adapter ${quoted(adapter.name)} is built on ${other}; this @petstore/core runs on effect ${Version.getCurrentVersion()}. ${dedupe}`
  )
}

const requireWhole = (name: string, services: Context.Context<Storage>): Effect.Effect<void> => {
  const store = Context.getOption(services, Storage)
  const missing = Option.isNone(store) ? ["Storage itself"] : missingOperations(store.value)
  return missing.length === 0
    ? Effect.void
    : Effect.die(
        new TypeError(
          `The storage adapter ${quoted(name)} does not implement the port of this @petstore/core: it lacks ${missing.join(", ")}. Use a version of it that does.`
        )
      )
}

const isOfThisCopy = (layer: object): boolean => Object.getPrototypeOf(layer) === Object.getPrototypeOf(Layer.empty)

/** Copies of one Effect work together. Where another does not, what goes wrong in it says nothing to its users. */
const explained = (name: string, cause: Cause.Cause<StorageError>): Cause.Cause<StorageError> =>
  Cause.hasDies(cause)
    ? Cause.die(
        new TypeError(
          `The storage adapter ${quoted(name)} is built on another copy of effect, and does not open on effect ${Version.getCurrentVersion()}, which this @petstore/core runs on. ${dedupe}`,
          { cause: Cause.squash(cause) }
        )
      )
    : cause

/** The store of an adapter, refused as it opens if it is not whole. Throws a TypeError for what is no adapter. */
export const storageLayer = (adapter: StorageAdapter): StorageAdapter["layer"] => {
  checkAdapter(adapter)
  const { layer, name } = adapter
  const opened = isOfThisCopy(layer)
    ? layer
    : Layer.catchCause(layer, (cause) => Layer.effect(Storage, Effect.failCause(explained(name, cause))))
  return Layer.tap(opened, (services) => requireWhole(name, services))
}
