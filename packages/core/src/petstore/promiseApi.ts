import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Page } from "../domain/Page.ts"
import type { ChangeOptions, CreateOptions } from "../services/Options.ts"
import { withCallerStack } from "./callerStack.ts"
import type { CallOptions, PetstoreApi } from "./PetstoreApi.ts"

type AsEffects<Group> = {
  readonly [Name in keyof Group as Name extends "all" | "allMovements" ? never : Name]: Group[Name] extends (
    ...args: infer Arguments
  ) => Promise<infer A>
    ? (...args: Arguments) => Effect.Effect<A, unknown>
    : never
}

/** The commands of {@link PetstoreApi} as effects, near or far. */
export type Commands = { readonly [Group in keyof PetstoreApi]: AsEffects<PetstoreApi[Group]> }

/** Runs one call to its end; an aborted signal interrupts it. */
export type RunExit = <A, E>(
  effect: Effect.Effect<A, E>,
  options: { readonly signal?: AbortSignal; readonly uninterruptible?: boolean }
) => Promise<Exit.Exit<A, unknown>>

/** Runs a command as the options of its call say. */
export type RunCommand<Options extends CallOptions> = <A, E>(
  command: Effect.Effect<A, E>,
  options: Options | undefined
) => Promise<A>

/** The names of what the commands take, near or far. */
const commandOptions: ReadonlyArray<string> = ["signal", "idempotencyKey", "ifVersion"] satisfies ReadonlyArray<
  keyof (CallOptions & CreateOptions & ChangeOptions)
>

/** The names of what the commands of a petstore in this process take. */
export const embeddedOptions: ReadonlyArray<string> = [...commandOptions, "transaction"]

/** The names of what calls take that are no commands, and so see what is committed alone. */
export const onlySignal: ReadonlyArray<string> = ["signal"]

/** Refuses what plain JavaScript may give as the options of a call: a name that is ignored may be the one that matters. */
export const checkCallOptions = (options: unknown, known = commandOptions): void => {
  if (options === undefined || options === null) return
  if (typeof options !== "object") {
    throw new TypeError("The options of a call are an object, such as { signal }. Leave them out where there are none")
  }
  const unknown = Object.entries(options).flatMap(([name, value]) =>
    value === undefined || known.includes(name) ? [] : [name]
  )
  if (unknown.length > 0) {
    throw new TypeError(`This call does not take the option ${unknown.join(", ")}; it takes ${known.join(", ")}`)
  }
}

/** The signal of a call. Throws a TypeError for what is none, before anything is begun. */
export const signalOf = (options: CallOptions | undefined): AbortSignal | undefined => {
  const signal = options?.signal
  if (signal === undefined || typeof signal?.addEventListener === "function") return signal
  throw new TypeError("The option signal takes an AbortSignal. Leave it out, or undefined, where there is none")
}

/**
 * Runs the effect that `prepare` returns as a promise, which rejects with its error, or with the signal's reason if that
 * cancelled the call. Return this very promise to the caller, so that the stacks of errors lead there.
 */
export const runCall = async <A, E>(
  runExit: RunExit,
  prepare: () => Effect.Effect<A, E>,
  options?: CallOptions
): Promise<A> => {
  const effect = prepare()
  const signal = signalOf(options)
  signal?.throwIfAborted()
  const exit = await runExit(effect, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (signal?.aborted === true && Cause.hasInterruptsOnly(exit.cause)) throw signal.reason
  throw withCallerStack(Cause.squash(exit.cause), runCall)
}

/** All items of a list, page after page. */
export async function* eachItem<A, Q extends { readonly cursor?: string }>(
  list: (query: Q) => Promise<Page<A>>,
  query: Q
): AsyncGenerator<A> {
  let page = await list(query)
  yield* page.items
  while (page.next !== undefined) {
    page = await list({ ...query, cursor: page.next })
    yield* page.items
  }
}

/** The promise API over commands that are effects, all of them run by `run`. */
export const promiseApi = <Options extends CallOptions>(
  commands: Commands,
  run: RunCommand<Options>
): PetstoreApi<Options> => {
  const { accounts, apiKeys, categories, inventory, messages, orders, pets } = commands
  return {
    pets: {
      create: (pet, options) => run(pets.create(pet, options), options),
      get: (petId, options) => run(pets.get(petId), options),
      getWithInventory: (petId, options) => run(pets.getWithInventory(petId), options),
      list: (filter, options) => run(pets.list(filter), options),
      all: (filter = {}, options) => eachItem((query) => run(pets.list(query), options), filter),
      update: (petId, update, options) => run(pets.update(petId, update, options), options),
      delete: (petId, options) => run(pets.delete(petId, options), options)
    },
    categories: {
      create: (category, options) => run(categories.create(category, options), options),
      get: (categoryId, options) => run(categories.get(categoryId), options),
      list: (query, options) => run(categories.list(query), options),
      all: (query = {}, options) => eachItem((part) => run(categories.list(part), options), query),
      update: (categoryId, update, options) => run(categories.update(categoryId, update, options), options),
      delete: (categoryId, options) => run(categories.delete(categoryId, options), options)
    },
    inventory: {
      get: (petId, options) => run(inventory.get(petId), options),
      list: (filter, options) => run(inventory.list(filter), options),
      all: (filter = {}, options) => eachItem((query) => run(inventory.list(query), options), filter),
      set: (petId, quantity, options) => run(inventory.set(petId, quantity, options), options),
      movements: (petId, query, options) => run(inventory.movements(petId, query), options),
      allMovements: (petId, query = {}, options) =>
        eachItem((part) => run(inventory.movements(petId, part), options), query)
    },
    orders: {
      place: (order, options) => run(orders.place(order, options), options),
      get: (orderId, options) => run(orders.get(orderId), options),
      list: (filter, options) => run(orders.list(filter), options),
      all: (filter = {}, options) => eachItem((query) => run(orders.list(query), options), filter),
      update: (orderId, update, options) => run(orders.update(orderId, update, options), options),
      complete: (orderId, options) => run(orders.complete(orderId, options), options),
      cancel: (orderId, options) => run(orders.cancel(orderId, options), options)
    },
    messages: {
      enqueue: (message, options) => run(messages.enqueue(message, options), options),
      get: (messageId, options) => run(messages.get(messageId), options),
      list: (query, options) => run(messages.list(query), options),
      all: (query = {}, options) => eachItem((part) => run(messages.list(part), options), query)
    },
    accounts: {
      create: (account, options) => run(accounts.create(account, options), options),
      get: (accountId, options) => run(accounts.get(accountId), options),
      list: (query, options) => run(accounts.list(query), options),
      all: (query = {}, options) => eachItem((part) => run(accounts.list(part), options), query)
    },
    apiKeys: {
      create: (key, options) => run(apiKeys.create(key, options), options),
      get: (keyId, options) => run(apiKeys.get(keyId), options),
      list: (query, options) => run(apiKeys.list(query), options),
      all: (query = {}, options) => eachItem((part) => run(apiKeys.list(part), options), query),
      rotate: (keyId, rotation, options) => run(apiKeys.rotate(keyId, rotation, options), options),
      revoke: (keyId, options) => run(apiKeys.revoke(keyId), options)
    }
  }
}
