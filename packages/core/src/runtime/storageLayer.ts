import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Version from "effect/Version"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import type { ListIndex } from "../domain/records/ListIndex.ts"
import { shown } from "../domain/shown.ts"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { tracedStore } from "../programs/tracing.ts"
import { guardedStore } from "./transactions/guardedStore.ts"

type Port = Storage["Service"]

/** The required keys of `A`: a new one that is missing here does not compile. */
type Required<A> = { readonly [Key in keyof A as undefined extends A[Key] ? never : Key]-?: true }

const operations: Required<Port> = {
  run: true,
  snapshot: true,
  watch: true,
  ready: true,
  activity: true,
  inspect: true,
  find: true,
  findAll: true,
  scan: true,
  select: true,
  count: true,
  events: true
}

const events: Required<Port["events"]> = { latest: true, scan: true, find: true }

const isOperation = (value: unknown): boolean =>
  typeof value === "function" || (typeof value === "object" && value !== null)

const missingIn = (place: string, value: unknown, names: object): ReadonlyArray<string> => {
  const implemented: object = isOperation(value) ? Object(value) : {}
  return Object.keys(names)
    .filter((name) => !isOperation(Reflect.get(implemented, name)))
    .map((name) => place + name)
}

/** What the port requires and a value does not have, such as `lock`; empty for a store that can be used. */
const missingOperations = (store: Port): ReadonlyArray<string> => [
  ...missingIn("", store, operations),
  ...missingIn("events.", store.events, events)
]

const dedupe = "See which copies there are with `npm ls effect`, and make them one with `npm dedupe`."

const quoted = (name: string): string => JSON.stringify(String(name))

const hasMethods = (value: unknown, ...names: ReadonlyArray<string>): boolean =>
  typeof value === "object" && value !== null && names.every((name) => typeof Reflect.get(value, name) === "function")

/** What to write instead of a value that is not an adapter. */
const adviceFor = (value: unknown): string => {
  if (typeof value === "function") return "Call the function that returns it."
  if (typeof value === "string" && /^postgres(?:ql)?:/.test(value))
    return "Write postgres(url) of @petstore/adapters/postgres."
  if (typeof value === "string")
    return 'Write sqlite("petstore.db") of @petstore/adapters/sqlite, with your path, or memory().'
  if (hasMethods(value, "prepare", "pragma")) {
    return 'Write sqlite("petstore.db") of @petstore/adapters/sqlite: the petstore opens a file of its own.'
  }
  if (hasMethods(value, "prepare", "exec")) return "Write sqlite({ database }) of @petstore/adapters/sqlite."
  if (hasMethods(value, "connect", "query"))
    return "Write postgres({ pool }) of @petstore/adapters/postgres, with a Pool of pg."
  return 'Write memory(), sqlite("petstore.db") or postgres(url).'
}

/** What identifies a layer of Effect 3. */
const effect3 = Symbol.for("effect/Layer")

/**
 * Throws a TypeError for a value that is not an adapter, such as a file name, and for an adapter on an incompatible version
 * of Effect.
 */
export const checkAdapter = (adapter: StorageAdapter): void => {
  if (typeof adapter !== "object" || adapter === null || typeof adapter.layer !== "object" || adapter.layer === null) {
    throw new TypeError(
      `The storage of a petstore is a storage adapter, such as memory(), not ${shown(adapter)}. ${adviceFor(adapter)}`
    )
  }
  if (Layer.isLayer(adapter.layer)) return
  const other = effect3 in adapter.layer ? "Effect 3" : "an unknown version of Effect"
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

const unfinished = "This store is an unfinished copy of another one. Delete it, and run the same petstore copy again."

/** Fails for a store that has only a part of the records of another one. */
const requireFinished = (services: Context.Context<Storage>): Effect.Effect<void, StorageError> =>
  Effect.flatMap(
    Effect.suspend(() => Context.get(services, Storage).restore?.note ?? Effect.undefined),
    (note) => (note === undefined ? Effect.void : Effect.fail(new InternalError({}, { message: unfinished })))
  )

/** Makes a store ready for its searches. */
const indexed = (name: string, services: Context.Context<Storage>): Effect.Effect<void, StorageError> =>
  Context.get(services, Storage).indexWords ??
  Effect.die(
    new TypeError(`The storage adapter ${quoted(name)} has no index of words. Leave out the option search: "words".`)
  )

const isOfThisCopy = (layer: object): boolean => Object.getPrototypeOf(layer) === Object.getPrototypeOf(Layer.empty)

const unopened = (name: string, cause: unknown): TypeError =>
  new TypeError(
    `The storage adapter ${quoted(name)} is built on another copy of effect, and does not open on effect ${Version.getCurrentVersion()}, which this @petstore/core runs on. ${dedupe}`,
    { cause }
  )

/** Runs something in a fiber of its own, which may break. */
const apart = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.flatMap(Effect.forkChild(effect), Fiber.await)

/**
 * Opens a store whose adapter uses its own copy of Effect. Most copies of Effect 4 work together. If one does not, the error
 * means nothing to users, breaks the fiber in which it occurs, and what was opened may not even close.
 */
const openedApart = ({ layer, name }: StorageAdapter): StorageAdapter["layer"] =>
  Layer.effect(
    Storage,
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const opening = Effect.flatMap(Layer.buildWithScope(layer, scope), (services) =>
        Effect.sync(() => Context.get(services, Storage))
      )
      const exit = yield* Effect.acquireRelease(apart(opening), (opened, end) =>
        Exit.isSuccess(opened) ? Scope.close(scope, end) : apart(Scope.close(scope, end))
      )
      if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
        return yield* Effect.die(unopened(name, Cause.squash(exit.cause)))
      }
      return yield* exit
    })
  )

/** Builds the indexes of lists that the store lacks. */
const buildIndexes = (
  name: string,
  indexes: ReadonlyArray<ListIndex>,
  services: Context.Context<Storage>
): Effect.Effect<void, StorageError> => {
  const store = Context.get(services, Storage)
  if (indexes.length === 0) return Effect.void
  return (
    store.buildIndexes?.(indexes) ??
    Effect.die(
      new TypeError(`The storage adapter ${quoted(name)} has no indexes to switch on. Remove the option indexes.`)
    )
  )
}

/**
 * The store of an adapter, with the indexes of `search` and of lists. Opening fails if an operation is missing, or if the store is an
 * unfinished copy. Throws a TypeError for a value that is not an adapter.
 */
export const storageLayer = (
  adapter: StorageAdapter,
  {
    indexes = [],
    search
  }: { readonly indexes?: ReadonlyArray<ListIndex> | undefined; readonly search?: "words" | undefined }
): StorageAdapter["layer"] => {
  checkAdapter(adapter)
  const opened = isOfThisCopy(adapter.layer) ? adapter.layer : openedApart(adapter)
  const checked = Layer.tap(opened, (services) =>
    requireWhole(adapter.name, services).pipe(
      Effect.andThen(requireFinished(services)),
      Effect.andThen(search === undefined ? Effect.void : indexed(adapter.name, services)),
      Effect.andThen(Effect.suspend(() => buildIndexes(adapter.name, indexes, services)))
    )
  )
  return Layer.effect(
    Storage,
    Effect.map(Storage, (store) => guardedStore(tracedStore(adapter.name, store)))
  ).pipe(Layer.provide(checked))
}
