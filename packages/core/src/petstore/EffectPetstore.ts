import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { Principal, type PrincipalInfo } from "../domain/access/Principal.ts"
import { isFilePath } from "../domain/isFilePath.ts"
import type { MethodInput } from "../domain/MethodInput.ts"
import type { MethodName, methodInputs } from "../domain/methodInputs.ts"
import { shown } from "../domain/shown.ts"
import { type Asker, askedBy, asking } from "../ports/Direct.ts"
import type { HostTransaction } from "../ports/HostTransaction.ts"
import { Storage, type StorageAdapter } from "../ports/Storage.ts"
import type { Commands } from "../programs/Commands.ts"
import type { EventSource } from "../programs/events/EventSource.ts"
import { keptResults } from "../programs/idempotency/keptResults.ts"
import { joinedEvents } from "../programs/transactions/joinedReads.ts"
import { OpenCommands } from "../programs/transactions/OpenCommands.ts"
import type { Part } from "../programs/transactions/Part.ts"
import { PromisedBody, TransactionBody } from "../programs/transactions/TransactionBody.ts"
import type { ErrorsOf, UntypedEffect, UntypedMethod, UseCase, UseCasesOf } from "../programs/UseCase.ts"
import type { WebhookSecrets } from "../programs/webhooks/secrets/WebhookSecrets.ts"
import { Consumers } from "../runtime/consumers/Consumers.ts"
import { type EventError, type EventListError, Events } from "../runtime/events/Events.ts"
import { type RuntimeOptions, layer as runtimeLayer } from "../runtime/Runtime.ts"
import { Trimming } from "../runtime/retention/Trimming.ts"
import { Stats } from "../runtime/stats/Stats.ts"
import { outsideOnly } from "../runtime/transactions/guardedStore.ts"
import { type TransactionError, type TransactionOptions, Transactions } from "../runtime/transactions/Transactions.ts"
import { UseCaseRunner } from "../runtime/UseCaseRunner.ts"
import { useCases } from "../runtime/useCases.ts"
import { recordVerification } from "../runtime/verification/lastVerification.ts"
import { Verification, type VerificationReport } from "../runtime/verification/Verification.ts"
import { encryptSecrets } from "../runtime/webhooks/secrets/encryptSecrets.ts"
import { checkedMethod } from "./checkedMethod.ts"
import { allUntypedPages, type EffectMethods } from "./EffectMethods.ts"
import { effectConsumers } from "./effectConsumers.ts"
import { effectEvents } from "./effectEvents.ts"
import { lazyObjects, type PropertyMakers } from "./lazyObjects.ts"
import { mapMethods, methodsFor } from "./methods.ts"
import { endings, lackedByTransaction, missingMethods } from "./missingMethods.ts"
import { type OnceEffect, onceIn } from "./onceBodies.ts"
import type { ResourceMethods } from "./PetstoreApi.ts"
import { eventsAs, type PetstoreUser, principalOf } from "./PetstoreUser.ts"

const noHostTransactions =
  "This storage cannot join a host transaction. Omit the option transaction, or open the petstore on the database of your app, such as with sqlite({ database })."

const notInTransaction =
  "once runs its body in a transaction of your app: petstore.within(db)(petstore.once(key, body)). Without one, call petstore.transaction with the option idempotencyKey."

const notJoined =
  "Only the methods of resources, such as orders.place, can run in a transaction of your app. Run this one outside of it."

/** Why events are not followed in a transaction. */
export const notFollowed =
  "A transaction cannot follow the event log, which has no end: nothing could check at the commit what was read. Read a page with tx.events.list, or follow the log outside the transaction."

const checkedBackup =
  (backup: NonNullable<Storage["Service"]["backup"]>): typeof backup =>
  (file) =>
    typeof file === "string" && isFilePath(file)
      ? backup(file)
      : Effect.die(
          new TypeError(
            `backup takes the path of a new file with nothing before it, such as "backup.db", not ${shown(file)}`
          )
        )

// The compiler requires a use case for each method.
const groups = useCases satisfies {
  readonly [Group in keyof ResourceMethods]: UseCasesOf<Group, ResourceMethods[Group]>
}

const useCaseOf: ReadonlyMap<string, UseCase> = new Map(
  Object.values(groups).flatMap((group) => Object.values<UseCase>(group).map((useCase) => [useCase.name, useCase]))
)

type Inputs = typeof methodInputs

export type EmbeddedMethods = {
  readonly [Group in keyof ResourceMethods]: EffectMethods<
    ResourceMethods[Group],
    { readonly [Name in keyof Inputs[Group]]: ErrorsOf<Inputs[Group][Name]> }
  >
}

/** The petstore in a transaction: its calls see what the transaction has written, and nobody else does before its end. */
export interface PetstoreTransaction extends EmbeddedMethods {
  /**
   * The committed events, without those of the transaction. `latest` and the end of a list take part in its isolation: the transaction
   * is busy if an event is committed behind them. `stream` cannot, and dies with a TypeError.
   */
  readonly events: ReturnType<typeof effectEvents<EventError, EventListError>>
  /** The same transaction as a user of your app. */
  readonly as: (user: PetstoreUser) => Omit<PetstoreTransaction, "as" | "transaction">
  /** Runs a part of the transaction that may fail by itself. Meanwhile, make calls on the argument of the part. */
  readonly transaction: <A, E, R>(body: (part: PetstoreTransaction) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs a body, unless one with this key has been committed within 7 days: then it returns the result of that one. */
  readonly once: OnceEffect
}

type UserTransaction = Omit<PetstoreTransaction, "as" | "transaction">

/** Whether who asks is in a transaction, of the petstore or of the app. */
const isInTransaction = ({ services }: Asker): boolean => services.mapUnsafe.has(OpenCommands.key)

/** The effect, unless a body runs it, or a host transaction to which it would not belong. */
const apartFrom =
  (owner: Storage["Service"]) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    outsideOnly(
      owner,
      // Who runs it has what it requires.
      asking((asker) => (isInTransaction(asker) ? Exit.die(new TypeError(notJoined)) : (effect as Effect.Effect<A, E>)))
    )

/** The effect in the transaction of the app. */
const joinedTo =
  (owner: Storage["Service"]) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    outsideOnly(
      owner,
      asking((asker) =>
        isInTransaction(asker) ? (effect as Effect.Effect<A, E>) : Exit.die(new TypeError(notInTransaction))
      )
    )

type MethodFor = (name: MethodName, input: MethodInput) => UntypedMethod<UntypedEffect>

/** Makes the method of a use case at its first call. */
const checkedMethods = (perform: UseCaseRunner["Service"]["perform"]): MethodFor => {
  const methods = new Map<MethodName, UntypedMethod<UntypedEffect>>()
  return (name, input) => {
    const known = methods.get(name)
    if (known !== undefined) return known
    const useCase = useCaseOf.get(name)
    if (useCase === undefined) throw new TypeError(`There is no use case ${name}`)
    const method = checkedMethod(name, input, (...inputs) => perform(useCase, inputs))
    methods.set(name, method)
    return method
  }
}

/** What a petstore has for the body of a transaction. */
interface TransactionParts {
  readonly methodOf: MethodFor
  readonly results: ReturnType<typeof keptResults>
  readonly events: ReturnType<Events["Service"]["readBy"]>
  readonly withoutOthers: <Methods extends object>(transaction: Methods) => Methods
}

/** Whose methods these are: a transaction or a part of it, on behalf of a user. */
interface Owner {
  readonly part: Part
  readonly principal: PrincipalInfo | undefined
}

/** Returns a function that makes the argument of the body of a transaction. */
const transactionsOf = ({ events, methodOf, results, withoutOthers }: TransactionParts) => {
  const callOf = <A, E, R>({ part, principal }: Owner, method: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const call = part.call(method)
    return principal === undefined ? call : Effect.provideService(call, Principal, principal)
  }
  const sourceOf = ({ part, principal }: Owner): EventSource<EventError, EventListError> => {
    const source: EventSource<EventError, EventListError> = {
      latest: part.call(events.latest),
      list: (query) => part.call(events.list(query)),
      follow: () => Effect.die(new TypeError(notFollowed))
    }
    return principal === undefined ? source : eventsAs(source, principal)
  }
  const makers: PropertyMakers<Owner, UserTransaction> = {
    ...methodsFor<EmbeddedMethods, Owner, UntypedEffect>((name, input) => {
      const method = methodOf(name, input)
      return ({ part, principal }) =>
        (...args) => {
          const call = part.call(method(...args))
          return principal === undefined ? call : askedBy(principal, call)
        }
    }, allUntypedPages),
    events: (owner) => effectEvents(sourceOf(owner)),
    once: (owner) => onceIn(results, (method) => callOf(owner, method))
  }
  let ofUser: ((owner: Owner) => UserTransaction) | undefined
  let whole: ((owner: Owner) => PetstoreTransaction) | undefined
  const make = (part: Part): PetstoreTransaction => {
    whole ??= lazyObjects<Owner, PetstoreTransaction>(
      {
        ...makers,
        as: (owner) => (user: PetstoreUser) => {
          ofUser ??= lazyObjects(makers)
          return ofUser({ ...owner, principal: principalOf(user) })
        },
        transaction:
          (owner) =>
          <A, E, R>(body: (part: PetstoreTransaction) => Effect.Effect<A, E, R>) =>
            owner.part.part((inner) => body(make(inner)))
      },
      withoutOthers
    )
    return whole({ part, principal: undefined })
  }
  return make
}

type Apart = ReturnType<typeof apartFrom>

const logApart = (apart: Apart, events: Events["Service"]): EventSource<EventError, EventListError> => ({
  latest: apart(events.latest),
  list: (query) => apart(events.list(query)),
  follow: (after, filter) => apart(events.follow(after, filter))
})

const joining =
  ({ join }: Storage["Service"]) =>
  (transaction: HostTransaction) =>
  <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    join === undefined
      ? Effect.die(new TypeError(noHostTransactions))
      : Effect.provideService(body, OpenCommands, (begin) => join(transaction, begin))

/** The methods of resources as a principal calls them. */
const methodsAs = (principal: PrincipalInfo, callOf: MethodFor): EmbeddedMethods => {
  const asUser: MethodFor = (name, input) => {
    const method = callOf(name, input)
    return (...args) => askedBy(principal, method(...args))
  }
  return mapMethods<EmbeddedMethods, UntypedEffect>(asUser, allUntypedPages)
}

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const verification = yield* Verification
  const trimming = yield* Trimming
  const { perform } = yield* UseCaseRunner
  const stats = yield* Stats
  const secretServices = yield* Effect.context<Commands | Storage | WebhookSecrets>()
  const events = yield* Events
  const consumers = yield* Consumers
  const transactions = yield* Transactions
  const { backup } = storage
  const apart = apartFrom(storage)
  const joined = joinedTo(storage)
  const log = logApart(apart, events)
  const methodOf = checkedMethods(perform)
  const results = keptResults("once", perform)
  const transactionOf = transactionsOf({
    methodOf,
    results,
    events: events.readBy(joinedEvents(storage.events)),
    withoutOthers: missingMethods(() => petstore, lackedByTransaction, endings)
  })
  /** The method for those outside of transactions. */
  const callOf: MethodFor = (name, input) => {
    const method = methodOf(name, input)
    return (...args) => {
      const call = method(...args)
      return TransactionBody.isAnyRunning ? outsideOnly(storage, call) : call
    }
  }

  /**
   * Runs the methods of its argument in one transaction: all of them take effect, or none if the body fails. The body may wait for
   * anything: the transaction holds no lock before its end. Fails with `StorageBusy` if something that it has read was changed
   * meanwhile, and with `RequestTimeout` if it takes longer than its timeout. In the body, methods of the petstore itself die with a
   * TypeError.
   *
   * @beta
   */
  const transaction = <A, E, R>(
    body: (tx: PetstoreTransaction) => Effect.Effect<A, E, R>,
    options?: TransactionOptions
  ): Effect.Effect<A, E | TransactionError, R> =>
    apart(
      asking((): Effect.Effect<A, E | TransactionError> => {
        const own = new TransactionBody(storage)
        const result = transactions.run((part) => {
          const steps = body(transactionOf(part))
          // Its function knows the body that it is.
          return steps instanceof PromisedBody ? (steps as typeof steps & Effect.Effect<A, E>) : own.effect(steps)
        }, options)
        // Who runs it has what it requires.
        return result as Effect.Effect<A, E | TransactionError>
      })
    )

  const petstore = {
    ...mapMethods<EmbeddedMethods, UntypedEffect>(callOf, allUntypedPages),
    events: { ...effectEvents(log), ...effectConsumers(consumers, apart) },
    /**
     * The petstore as a user of your app, who sees only their own orders, and the events of these.
     * Everything else works as it does for you, with the user as the actor in the stock ledger.
     */
    as: (user: PetstoreUser) => {
      const principal = principalOf(user)
      return {
        ...methodsAs(principal, callOf),
        events: effectEvents(eventsAs(log, principal)),
        once: onceIn(results, (method) => Effect.provideService(joined(method), Principal, principal))
      }
    },
    /** Checks every invariant on the stored data. */
    verify: apart(verification.verify),
    /** Stores the result of `verify` in place of the one before: the `stats` of every process show it. */
    recordVerification: (report: VerificationReport) =>
      apart(Effect.provide(recordVerification(report), secretServices)),
    /** Encrypts what is secret of every webhook with the first key, and returns how many it changed. */
    encryptSecrets: apart(Effect.provide(encryptSecrets, secretServices)),
    /** What this petstore has done since it was opened, and its queues now, for operators. */
    stats: apart(stats.read),
    /** Shows which events the log has, when the last ones were removed, and which consumer keeps others. */
    retention: apart(trimming.state),
    /** Copies a committed state to a new file; undefined if the storage has no files. */
    backup: backup && ((file: string) => apart(checkedBackup(backup)(file))),
    transaction,
    /**
     * Runs a body {@link within} a transaction of your app, unless a body with this key has been committed within 7 days: then it
     * returns the result of that one, which is JSON. The result is stored with what the body does. If the body fails, roll back.
     *
     * @beta
     */
    once: onceIn(results, joined),
    /**
     * Runs methods inside a transaction that your app has open on its own connection to the same database: they are
     * committed or rolled back together with your rows. Each method takes effect as a whole or not at all.
     */
    within: joining(storage)
  }
  return petstore
})

/**
 * The petstore for users of Effect: every method checks its inputs and has typed errors.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { memory, Petstore } from "@petstore/core/effect"
 *
 * const program = Effect.gen(function* () {
 *   const petstore = yield* Petstore
 *   const cats = yield* petstore.categories.create({ name: "Cats" })
 *   return yield* petstore.pets.create({ name: "Tom", categoryId: cats.id })
 * })
 *
 * Effect.runPromise(Effect.provide(program, Petstore.layer(memory())))
 * ```
 */
export class Petstore extends Context.Service<Petstore>()("@petstore/core/Petstore", { make }) {
  /**
   * A petstore on this storage; closes with the layer's scope.
   *
   * A storage such as `memory()` is one database however often the layer is built: a layer that is a constant of a test file
   * shares its data between the tests. Make one for each test, as in `Effect.suspend(() => Effect.provide(test,
   * Petstore.layer(memory())))`.
   */
  static readonly layer = (adapter: StorageAdapter, options?: RuntimeOptions) =>
    Layer.provideMerge(Layer.effect(Petstore, Petstore.make), runtimeLayer(adapter, options))
}
