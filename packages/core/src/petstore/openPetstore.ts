import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import { signalOption } from "../domain/options.ts"
import { shown } from "../domain/shown.ts"
import { Storage } from "../ports/Storage.ts"
import type { EventSource } from "../programs/events/EventSource.ts"
import type { CallOptions } from "../programs/Options.ts"
import { TransactionBody } from "../programs/transactions/TransactionBody.ts"
import { Consumers } from "../runtime/consumers/Consumers.ts"
import { type EventError, type EventListError, Events } from "../runtime/events/Events.ts"
import { MessageDelivery } from "../runtime/messages/MessageDelivery.ts"
import type { Runtime } from "../runtime/Runtime.ts"
import { rejectCalls } from "../runtime/transactions/guardedStore.ts"
import { type TransactionOptions, transactionCheck } from "../runtime/transactions/Transactions.ts"
import { withCallerStack } from "./callerStack.ts"
import { callCheck, embeddedCheck, isGiven, surplus } from "./callOptions.ts"
import { Petstore as EffectPetstore, type EmbeddedMethods } from "./EffectPetstore.ts"
import { EmbeddedTransactions } from "./EmbeddedTransactions.ts"
import { missingMethods } from "./missingMethods.ts"
import type { EmbeddedOnceOptions } from "./OnceMethods.ts"
import { OpenCalls } from "./OpenCalls.ts"
import { checkEmbeddedOnce, type OnceEffect, promiseOnce } from "./onceBodies.ts"
import type { EmbeddedCallOptions, Petstore, PetstoreTransactionOptions } from "./Petstore.ts"
import { eventsAs, type PetstoreUser, principalOf } from "./PetstoreUser.ts"
import { promiseApi, type RunMethod, runCall, runChecked } from "./promiseApi.ts"
import { promiseConsumers } from "./promiseConsumers.ts"
import { promiseEvents } from "./promiseEvents.ts"

type Opened = ManagedRuntime.ManagedRuntime<EffectPetstore | Runtime, unknown>

const runtimes = new WeakMap<Petstore, Opened>()

/** Marks the petstores of every copy of this package. A spread copy of a petstore does not have it. */
const mark = Symbol.for("@petstore/core/Petstore")

/** The Effect runtime under a petstore of {@link createPetstore}: its services, for programs that serve it to others. */
export const runtimeOf = (petstore: Petstore): Opened => {
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

/** What plain JavaScript may pass behind the options of a method. */
type Rest = ReadonlyArray<unknown>

const noFiles = "This storage has no files to back up"

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
export const openPetstore = async (layer: Layer.Layer<EffectPetstore | Runtime, unknown>): Promise<Petstore> => {
  const runtime: Opened = ManagedRuntime.make(layer)
  const context = await runtime.context().catch(async (error: unknown) => {
    await runtime.dispose()
    throw withCallerStack(error, openPetstore)
  })
  const petstore = petstoreOf(context, async () => runtime.dispose())
  Object.defineProperty(petstore, mark, { value: true })
  runtimes.set(petstore, runtime)
  return petstore
}

type Services = Context.Context<EffectPetstore | Runtime>

/** Methods that the option `transaction` has run in an open transaction, of this petstore or of the app. */
class JoinableMethods {
  private readonly effectPetstore: EffectPetstore["Service"]
  private readonly owner: Storage["Service"]
  private readonly calls: OpenCalls
  private readonly transactions: EmbeddedTransactions

  constructor(services: Services, calls: OpenCalls, transactions: EmbeddedTransactions) {
    this.effectPetstore = Context.get(services, EffectPetstore)
    this.owner = Context.get(services, Storage)
    this.calls = calls
    this.transactions = transactions
  }

  of(methods: EmbeddedMethods & { readonly once: OnceEffect }, user?: PetstoreUser) {
    const inTransaction = ({ transaction }: EmbeddedCallOptions) => {
      const tx = this.transactions.find(transaction)
      return tx === undefined || user === undefined ? tx : tx.as(user)
    }
    const checkOptions = (options: EmbeddedOnceOptions | undefined) => {
      if (options?.transaction === undefined) rejectCalls(this.owner)
      return checkEmbeddedOnce(options)
    }
    return Object.assign(promiseApi<EmbeddedCallOptions>(methods, this.runMethod, embeddedCheck, inTransaction), {
      once: promiseOnce(this.runMethod, checkOptions, (options) => (inTransaction(options) ?? methods).once)
    })
  }

  private readonly runMethod: RunMethod<EmbeddedCallOptions> = (method, callOptions) => {
    const transaction = callOptions?.transaction
    const isInTransaction = transaction !== undefined && this.transactions.find(transaction) !== undefined
    const isJoined = transaction !== undefined && !isInTransaction
    return runCall(
      isJoined ? this.calls.joined : isInTransaction ? this.calls.always : this.calls.unlessClosed,
      () => {
        if (transaction === undefined && TransactionBody.isAnyRunning) rejectCalls(this.owner)
        return isJoined ? this.effectPetstore.within(transaction)(method) : method
      },
      callOptions
    )
  }
}

/** Gives the petstore as a user messages for what only the whole one has. */
const userCheck = (petstore: () => Petstore) => {
  const methods = missingMethods(petstore, (name) => `A petstore as a user has no ${name}. Use petstore.${name}.`)
  const events = missingMethods(
    () => petstore().events,
    (name) => `A petstore as a user has no events.${name}. Use petstore.events.${name}.`
  )
  return <User extends { readonly events: object }>(user: User): User => {
    events(user.events)
    return methods(user)
  }
}

const optionsOfTransaction = (given: PetstoreTransactionOptions): TransactionOptions => {
  if (Object.hasOwn(given, "transaction")) throw new TypeError(ofItsOwn)
  const { signal: _, ...options } = checkTransaction(given)
  return options
}

const transactionMethod =
  (services: Services, calls: OpenCalls, transactions: EmbeddedTransactions): Petstore["transaction"] =>
  (body, callOptions, ...more: Rest) =>
    runCall(
      calls.unlessClosed,
      () => {
        const owner = Context.get(services, Storage)
        const inTransaction = transactions.bodyOf(body)
        if (more.some(isGiven)) throw surplus("petstore.transaction", 1, callOptions, more.length)
        const options =
          callOptions === undefined || callOptions === null ? undefined : optionsOfTransaction(callOptions)
        rejectCalls(owner)
        const own = new TransactionBody(owner)
        return Context.get(services, EffectPetstore).transaction((tx) => inTransaction(tx, own), options)
      },
      callOptions
    )

const petstoreOf = (services: Services, dispose: () => Promise<void>): Petstore => {
  const effectPetstore = Context.get(services, EffectPetstore)
  const events = Context.get(services, Events)
  const closed = new AbortController()
  const calls = new OpenCalls(services)
  const transactions = new EmbeddedTransactions(calls, services, () => petstore, closed.signal)
  const joinable = new JoinableMethods(services, calls, transactions)
  const checkUser = userCheck(() => petstore)
  const admit = () => rejectCalls(Context.get(services, Storage))
  const runMethod: RunMethod<CallOptions> = (method, callOptions) =>
    runCall(
      calls.unlessClosed,
      () => {
        admit()
        return method
      },
      callOptions
    )
  const method = (name: string, count = 0) => runChecked(runMethod, callCheck(name, {}, count))
  const eventMethods = <ListError>(source: EventSource<EventError, ListError>) =>
    promiseEvents(source, services, { runMethod, admit }, closed.signal)
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    // Handlers of messages may still call methods.
    const delivery = Context.getOption(services, MessageDelivery)
    if (Option.isSome(delivery)) await Effect.runPromiseWith(services)(delivery.value.drain)
    await calls.close()
    await dispose()
  }
  const petstore: Petstore = {
    ...joinable.of(effectPetstore),
    events: {
      ...eventMethods(events),
      ...promiseConsumers(Context.get(services, Consumers), effectPetstore.events.consumers, runMethod)
    },
    as: (user) =>
      checkUser({
        ...joinable.of(effectPetstore.as(user), user),
        events: eventMethods(eventsAs<EventError, EventListError>(events, principalOf(user)))
      }),
    transaction: transactionMethod(services, calls, transactions),
    retention: (callOptions, ...more: Rest) => method("retention")(effectPetstore.retention, callOptions, more),
    verify: (callOptions, ...more: Rest) =>
      runChecked(runMethod, callCheck("verify", { options: { record: true } }))(
        callOptions?.record === true
          ? Effect.tap(effectPetstore.verify, effectPetstore.recordVerification)
          : effectPetstore.verify,
        callOptions,
        more
      ),
    encryptSecrets: (callOptions, ...more: Rest) =>
      method("encryptSecrets")(effectPetstore.encryptSecrets, callOptions, more),
    stats: (callOptions, ...more: Rest) => method("stats")(effectPetstore.stats, callOptions, more),
    backup: (file, callOptions, ...more: Rest) =>
      method("backup", 1)(effectPetstore.backup?.(file) ?? Effect.die(new TypeError(noFiles)), callOptions, more),
    close: async () => {
      admit()
      closed.abort()
      closing ??= close()
      return closing
    },
    [Symbol.asyncDispose]: () => petstore.close()
  }
  return petstore
}
