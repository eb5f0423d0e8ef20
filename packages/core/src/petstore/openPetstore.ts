import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import { theStore } from "../access/Principal.ts"
import { Consumers } from "../consumers/Consumers.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { optionsCheck, signalOption } from "../domain/options.ts"
import { shown } from "../domain/shown.ts"
import type { EventSource } from "../events/EventSource.ts"
import { type EventError, Events } from "../events/Events.ts"
import { MessageDelivery } from "../messages/MessageDelivery.ts"
import { type Asker, Direct } from "../ports/Direct.ts"
import { Storage } from "../ports/Storage.ts"
import type { Engine } from "../services/Engine.ts"
import type { CallOptions } from "../services/Options.ts"
import { rejectCalls } from "../transactions/callsOfBodies.ts"
import { outsideBodies, TransactionBody } from "../transactions/TransactionBody.ts"
import { transactionCheck } from "../transactions/Transactions.ts"
import { withCallerStack } from "./callerStack.ts"
import { callCheck, embeddedCheck, isGiven, surplus } from "./callOptions.ts"
import {
  Petstore as EffectPetstore,
  type PetstoreTransaction as EffectTransaction,
  type EmbeddedMethods,
  notFollowed
} from "./EffectPetstore.ts"
import { closedPetstore } from "./eventIterator.ts"
import { endings, lackedByTransaction, missingMethods } from "./missingMethods.ts"
import type { EmbeddedOnceOptions } from "./OnceMethods.ts"
import { checkEmbeddedOnce, checkOnce, type OnceEffect, promiseOnce } from "./onceBodies.ts"
import type { EmbeddedCallOptions, Petstore, PetstoreTransaction } from "./Petstore.ts"
import { eventsAs, type PetstoreUser, principalOf } from "./PetstoreUser.ts"
import { promiseApi, type RunExit, type RunMethod, runCall, runChecked } from "./promiseApi.ts"
import { promiseConsumers } from "./promiseConsumers.ts"
import { promiseEvents } from "./promiseEvents.ts"

type Runtime = ManagedRuntime.ManagedRuntime<EffectPetstore | Engine, unknown>

const runtimes = new WeakMap<Petstore, Runtime>()

/** Marks the petstores of every copy of this package. A spread copy of a petstore does not have it. */
const mark = Symbol.for("@petstore/core/Petstore")

/** The Effect runtime under a petstore of {@link createPetstore}: its services, for programs that serve it to others. */
export const runtimeOf = (petstore: Petstore): Runtime => {
  const runtime = runtimes.get(petstore)
  if (runtime !== undefined) return runtime
  throw new TypeError(
    Object(petstore)[mark] === true
      ? "This petstore is of another copy of @petstore/core. See which there are with `npm ls @petstore/core`, and make them one with `npm dedupe`. Where a bundler made the copy, have it bundle all packages of the petstore, or none."
      : `This is not a petstore of createPetstore, but ${shown(petstore)}. Await createPetstore, and pass the object itself, not a copy of it or a client.`
  )
}

const ofItsOwn =
  "petstore.transaction is a transaction of its own. In a transaction of your app, make its calls one by one, each with { transaction }."

const checkTransaction = transactionCheck({ signal: signalOption })
/** A part of a transaction takes no options. */
const checkPart = optionsCheck("tx.transaction", "none", {})

/** What plain JavaScript may pass behind the options of a method. */
type Rest = ReadonlyArray<unknown>

const noFiles = "This storage has no files to back up"

const noBody = (body: unknown): TypeError =>
  new TypeError(
    `petstore.transaction takes a function, such as async (tx) => tx.orders.place({ petId: 1 }), not ${shown(body)}`
  )

/**
 * Opens a petstore with the promise API from a layer that you have built, such as one with a clock of your own.
 * `close()` releases what the layer has acquired.
 *
 * @example
 * ```ts
 * import { memory, openPetstore, Petstore } from "@petstore/core/effect"
 *
 * const petstore = await openPetstore(Petstore.layer(memory()))
 * const cats = await petstore.categories.create({ name: "Cats" })
 * await petstore.close()
 * ```
 */
export const openPetstore = async (layer: Layer.Layer<EffectPetstore | Engine, unknown>): Promise<Petstore> => {
  const runtime: Runtime = ManagedRuntime.make(layer)
  const context = await runtime.context().catch(async (error: unknown) => {
    await runtime.dispose()
    throw withCallerStack(error, openPetstore)
  })
  const engine = Context.get(context, EffectPetstore)
  const owner = Context.get(context, Storage)
  const runFork = Effect.runForkWith(context)
  const closed = new AbortController()
  let openCalls = 0
  let onIdle = () => {}
  const delivery = Context.getOption(context, MessageDelivery)
  let isClosed = false
  let closing: Promise<void> | undefined

  const asker: Asker = { principal: theStore, services: context, isPlain: true, onStart: () => undefined }

  /** The outcome of what calls back: at once, or of a call that `close` waits for. */
  const outcome = <A, E>(begin: (done: (exit: Exit.Exit<A, E>) => void) => void) => {
    let ended: Exit.Exit<A, E> | undefined
    let onEnd = (exit: Exit.Exit<A, E>): void => {
      ended = exit
    }
    begin((exit) => onEnd(exit))
    if (ended !== undefined) return ended
    openCalls++
    return new Promise<Exit.Exit<A, E>>((resolve) => {
      onEnd = (exit) => {
        openCalls--
        if (openCalls === 0) onIdle()
        resolve(exit)
      }
    })
  }

  const runAlways: RunExit = (effect, callOptions) => {
    if (effect instanceof Direct && callOptions.signal === undefined && callOptions.uninterruptible !== true) {
      return outcome((done) => outsideBodies(() => effect.run(asker, done)))
    }
    const fiber = outsideBodies(() => runFork(effect, callOptions))
    // Most reads have ended by now: they need no other promise than that of their caller.
    return fiber.pollUnsafe() ?? outcome((done) => fiber.addObserver(done))
  }

  const runOpen: RunExit = (effect, callOptions) =>
    isClosed ? Exit.fail(closedPetstore()) : runAlways(effect, callOptions)

  const allReturned = (): Promise<void> =>
    openCalls === 0 ? Promise.resolve() : new Promise((resolve) => (onIdle = resolve))

  /** A signal cancels only the body of a call: once a call in a host transaction has begun to write, its outcome counts. */
  const runJoined: RunExit = (effect, callOptions) => runOpen(effect, { ...callOptions, uninterruptible: true })

  /** The transactions of this petstore, by what their bodies get. */
  const transactions = new WeakMap<object, EffectTransaction>()

  const run: RunMethod<EmbeddedCallOptions> = (method, callOptions) => {
    const transaction = callOptions?.transaction
    const isInTransaction = transaction !== undefined && transactions.has(transaction)
    const isJoined = transaction !== undefined && !isInTransaction
    return runCall(
      isJoined ? runJoined : isInTransaction ? runAlways : runOpen,
      () => {
        if (transaction === undefined) rejectCalls(owner)
        return isJoined ? engine.within(transaction)(method) : method
      },
      callOptions
    )
  }

  // A transaction that is open when the petstore closes goes on to its end.
  const runInTransaction: RunMethod<CallOptions> = (method, callOptions) =>
    runCall(runAlways, () => method, callOptions)
  const runOutside: RunMethod<CallOptions> = (method, callOptions) =>
    runCall(
      runOpen,
      () => {
        rejectCalls(owner)
        return method
      },
      callOptions
    )
  const outside = (name: string, count = 0) => runChecked(runOutside, callCheck(name, {}, count))

  const close = async (): Promise<void> => {
    // Handlers of messages may still call methods.
    if (Option.isSome(delivery)) await Effect.runPromiseWith(context)(delivery.value.drain)
    isClosed = true
    await allReturned()
    await runtime.dispose()
  }

  const events = Context.get(context, Events)
  const eventMethods = <ListError>(source: EventSource<EventError, ListError>) =>
    promiseEvents(source, context, { run: runOutside, admit: () => rejectCalls(owner) }, closed.signal)

  const resourceMethods = (methods: EmbeddedMethods & { readonly once: OnceEffect }, user?: PetstoreUser) => {
    const inTransaction = ({ transaction }: EmbeddedCallOptions) => {
      const tx = transaction === undefined ? undefined : transactions.get(transaction)
      return tx === undefined || user === undefined ? tx : tx.as(user)
    }
    const checkOptions = (options: EmbeddedOnceOptions | undefined) => {
      if (options?.transaction === undefined) rejectCalls(owner)
      return checkEmbeddedOnce(options)
    }
    return Object.assign(promiseApi<EmbeddedCallOptions>(methods, run, embeddedCheck, inTransaction), {
      once: promiseOnce(run, checkOptions, (options) => (inTransaction(options) ?? methods).once)
    })
  }

  const ofTransaction = missingMethods(() => petstore, lackedByTransaction, endings)
  const eventsOfTransaction = missingMethods(
    () => petstore.events,
    (name) => lackedByTransaction(`events.${name}`)
  )
  const ofUser = missingMethods(
    () => petstore,
    (name) => `A petstore as a user has no ${name}. Use petstore.${name}.`
  )
  const eventsOfUser = missingMethods(
    () => petstore.events,
    (name) => `A petstore as a user has no events.${name}. Use petstore.events.${name}.`
  )

  const methodsInTransaction = (tx: Omit<EffectTransaction, "as" | "transaction">) =>
    Object.assign(promiseApi(tx, runInTransaction, callCheck), {
      once: promiseOnce(runInTransaction, checkOnce, () => tx.once),
      events: eventsOfTransaction(
        promiseEvents(
          { ...tx.events, follow: () => Effect.die(new TypeError(notFollowed)) },
          context,
          { run: runInTransaction },
          closed.signal
        )
      )
    })

  const transactionOf = (tx: EffectTransaction, own: TransactionBody): PetstoreTransaction => {
    const part: PetstoreTransaction["transaction"] = (body, ...options: Rest) =>
      runCall(runAlways, () => {
        if (typeof body !== "function") throw noBody(body)
        checkPart(options.find(isGiven) ?? {})
        return tx.transaction((inner) => bodyOf(body, inner, own))
      })
    const transaction: PetstoreTransaction = Object.assign(methodsInTransaction(tx), {
      as: (user: PetstoreUser) => methodsInTransaction(tx.as(user)),
      transaction: part
    })
    transactions.set(transaction, tx)
    return ofTransaction(transaction)
  }

  /** What the body of a transaction, or of a part of it, returns, or rejects with. */
  const bodyOf = <A>(
    body: (tx: PetstoreTransaction) => Promise<A>,
    tx: EffectTransaction,
    own: TransactionBody
  ): Effect.Effect<A, unknown> =>
    Effect.tryPromise({ try: () => own.call(() => body(transactionOf(tx, own))), catch: (error) => error })

  const petstore: Petstore = {
    ...resourceMethods(engine),
    events: { ...eventMethods(events), ...promiseConsumers(Context.get(context, Consumers), runOutside) },
    as: (user) =>
      ofUser({
        ...resourceMethods(engine.as(user), user),
        events: eventsOfUser(eventMethods(eventsAs<EventError, InvalidCursor>(events, principalOf(user))))
      }),
    transaction: (body, callOptions, ...more: Rest) =>
      runCall(
        runOpen,
        () => {
          if (typeof body !== "function") throw noBody(body)
          if (more.some(isGiven)) throw surplus("petstore.transaction", 1, callOptions, more.length)
          const given = callOptions ?? {}
          if (Object.hasOwn(given, "transaction")) throw new TypeError(ofItsOwn)
          const { signal: _, ...options } = checkTransaction(given)
          rejectCalls(owner)
          const own = new TransactionBody(owner)
          return engine.transaction((tx) => bodyOf(body, tx, own), options)
        },
        callOptions
      ),
    retention: (callOptions, ...more: Rest) => outside("retention")(engine.retention, callOptions, more),
    verify: (callOptions, ...more: Rest) => outside("verify")(engine.verify, callOptions, more),
    encryptSecrets: (callOptions, ...more: Rest) => outside("encryptSecrets")(engine.encryptSecrets, callOptions, more),
    stats: (callOptions, ...more: Rest) => outside("stats")(engine.stats, callOptions, more),
    backup: (file, callOptions, ...more: Rest) =>
      outside("backup", 1)(engine.backup?.(file) ?? Effect.die(new TypeError(noFiles)), callOptions, more),
    close: async () => {
      rejectCalls(owner)
      closed.abort()
      closing ??= close()
      return closing
    },
    [Symbol.asyncDispose]: () => petstore.close()
  }
  Object.defineProperty(petstore, mark, { value: true })
  runtimes.set(petstore, runtime)
  return petstore
}
