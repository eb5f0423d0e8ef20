import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { optionsCheck } from "../domain/options.ts"
import { shown } from "../domain/shown.ts"
import type { CallOptions } from "../programs/Options.ts"
import type { PromisedBody, TransactionBody } from "../programs/transactions/TransactionBody.ts"
import { callCheck, isGiven } from "./callOptions.ts"
import { type PetstoreTransaction as EffectTransaction, notFollowed } from "./EffectPetstore.ts"
import { lazyObjects, ownerOf, type PropertyMakers } from "./lazyObjects.ts"
import { endings, lackedByTransaction, missingMethods } from "./missingMethods.ts"
import type { OpenCalls } from "./OpenCalls.ts"
import { checkOnce, promiseOnce } from "./onceBodies.ts"
import type { Petstore, PetstoreTransaction } from "./Petstore.ts"
import type { PetstoreUser } from "./PetstoreUser.ts"
import { promiseApiFor, type RunMethod, runCall } from "./promiseApi.ts"
import { promiseEvents } from "./promiseEvents.ts"

/** A part of a transaction takes no options. */
const checkPart = optionsCheck("tx.transaction", "none", {})

const noBody = (body: unknown): TypeError =>
  new TypeError(
    `petstore.transaction takes a function, such as async (tx) => tx.orders.place({ petId: 1 }), not ${shown(body)}`
  )

type Body<A> = (tx: PetstoreTransaction) => Promise<A>

type UserTransaction = Omit<PetstoreTransaction, "as" | "transaction">

/** The transaction of a user, as an effect. */
interface UserOwner {
  readonly tx: Omit<EffectTransaction, "as" | "transaction">
}

/** The transaction as an effect, and its body. */
class Owner implements UserOwner {
  readonly tx: EffectTransaction
  readonly own: TransactionBody
  /** Those of its petstore. */
  readonly all: EmbeddedTransactions

  constructor(tx: EffectTransaction, own: TransactionBody, all: EmbeddedTransactions) {
    this.tx = tx
    this.own = own
    this.all = all
  }
}

/** The transactions of one petstore: what their bodies get, which is also an option of the petstore's methods. */
export class EmbeddedTransactions {
  private readonly calls: OpenCalls
  private readonly context: Context.Context<never>
  private readonly closed: AbortSignal
  private readonly withoutOthers: <Part extends object>(transaction: Part) => Part
  private readonly withoutOtherEvents: <Part extends object>(events: Part) => Part
  private makeTransaction: ((owner: Owner) => PetstoreTransaction) | undefined
  private makeUserTransaction: ((owner: UserOwner) => UserTransaction) | undefined

  constructor(calls: OpenCalls, context: Context.Context<never>, petstore: () => Petstore, closed: AbortSignal) {
    this.calls = calls
    this.context = context
    this.closed = closed
    this.withoutOthers = missingMethods(petstore, lackedByTransaction, endings)
    this.withoutOtherEvents = missingMethods(
      () => petstore().events,
      (name) => lackedByTransaction(`events.${name}`)
    )
  }

  /** The transaction as an effect; undefined for one of the app. */
  find(transaction: object | undefined): EffectTransaction | undefined {
    const owner = transaction === undefined ? undefined : ownerOf(transaction)
    return owner instanceof Owner && owner.all === this ? owner.tx : undefined
  }

  /** What the body of a transaction, or of a part of it, returns, or rejects with. Throws a TypeError for what is no function. */
  bodyOf<A>(body: Body<A>): (tx: EffectTransaction, own: TransactionBody) => PromisedBody<A> {
    if (typeof body !== "function") throw noBody(body)
    return (tx, own) => own.promise(() => body(this.transactionOf(tx, own)))
  }

  private readonly runMethod: RunMethod<CallOptions> = (method, callOptions) =>
    runCall(this.calls.always, () => method, callOptions)

  private transactionOf(tx: EffectTransaction, own: TransactionBody): PetstoreTransaction {
    this.makeTransaction ??= lazyObjects<Owner, PetstoreTransaction>(
      {
        ...this.userMakers,
        as: (owner) => (user: PetstoreUser) => this.makeUser({ tx: owner.tx.as(user) }),
        transaction:
          (owner) =>
          <A>(body: Body<A>, ...options: ReadonlyArray<unknown>) =>
            runCall(this.calls.always, () => {
              const part = this.bodyOf(body)
              checkPart(options.find(isGiven) ?? {})
              return owner.tx.transaction((inner) => part(inner, owner.own))
            })
      },
      this.withoutOthers
    )
    return this.makeTransaction(new Owner(tx, own, this))
  }

  /** What a user has of a transaction. */
  private get userMakers(): PropertyMakers<UserOwner, UserTransaction> {
    return {
      ...promiseApiFor<CallOptions, UserOwner>(({ tx }) => tx, this.runMethod, callCheck),
      once: ({ tx }) => promiseOnce(this.runMethod, checkOnce, () => tx.once),
      events: ({ tx }) => {
        const events = { ...tx.events, follow: () => Effect.die(new TypeError(notFollowed)) }
        return this.withoutOtherEvents(promiseEvents(events, this.context, { runMethod: this.runMethod }, this.closed))
      }
    }
  }

  private makeUser(owner: UserOwner): UserTransaction {
    this.makeUserTransaction ??= lazyObjects(this.userMakers)
    return this.makeUserTransaction(owner)
  }
}
