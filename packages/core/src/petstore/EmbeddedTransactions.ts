import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { optionsCheck } from "../domain/options.ts"
import { shown } from "../domain/shown.ts"
import type { CallOptions } from "../programs/Options.ts"
import type { TransactionBody } from "../programs/transactions/TransactionBody.ts"
import { callCheck, isGiven } from "./callOptions.ts"
import { type PetstoreTransaction as EffectTransaction, notFollowed } from "./EffectPetstore.ts"
import { endings, lackedByTransaction, missingMethods } from "./missingMethods.ts"
import type { OpenCalls } from "./OpenCalls.ts"
import { checkOnce, promiseOnce } from "./onceBodies.ts"
import type { Petstore, PetstoreTransaction } from "./Petstore.ts"
import type { PetstoreUser } from "./PetstoreUser.ts"
import { promiseApi, type RunMethod, runCall } from "./promiseApi.ts"
import { promiseEvents } from "./promiseEvents.ts"

/** A part of a transaction takes no options. */
const checkPart = optionsCheck("tx.transaction", "none", {})

const noBody = (body: unknown): TypeError =>
  new TypeError(
    `petstore.transaction takes a function, such as async (tx) => tx.orders.place({ petId: 1 }), not ${shown(body)}`
  )

type Body<A> = (tx: PetstoreTransaction) => Promise<A>

/** The transactions of one petstore: what their bodies get, which is also an option of the petstore's methods. */
export class EmbeddedTransactions {
  private readonly effects = new WeakMap<object, EffectTransaction>()
  private readonly calls: OpenCalls
  private readonly context: Context.Context<never>
  private readonly closed: AbortSignal
  private readonly withoutOthers: <Part extends object>(transaction: Part) => Part
  private readonly withoutOtherEvents: <Part extends object>(events: Part) => Part

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
    return transaction === undefined ? undefined : this.effects.get(transaction)
  }

  /** What the body of a transaction, or of a part of it, returns, or rejects with. Throws a TypeError for what is no function. */
  bodyOf<A>(body: Body<A>): (tx: EffectTransaction, own: TransactionBody) => Effect.Effect<A, unknown> {
    if (typeof body !== "function") throw noBody(body)
    return (tx, own) =>
      Effect.tryPromise({ try: () => own.call(() => body(this.transactionOf(tx, own))), catch: (error) => error })
  }

  private readonly run: RunMethod<CallOptions> = (method, callOptions) =>
    runCall(this.calls.always, () => method, callOptions)

  private transactionOf(tx: EffectTransaction, own: TransactionBody): PetstoreTransaction {
    const transaction: PetstoreTransaction = Object.assign(this.methodsOf(tx), {
      as: (user: PetstoreUser) => this.methodsOf(tx.as(user)),
      transaction: <A>(body: Body<A>, ...options: ReadonlyArray<unknown>) =>
        runCall(this.calls.always, () => {
          const part = this.bodyOf(body)
          checkPart(options.find(isGiven) ?? {})
          return tx.transaction((inner) => part(inner, own))
        })
    })
    this.effects.set(transaction, tx)
    return this.withoutOthers(transaction)
  }

  private methodsOf(tx: Omit<EffectTransaction, "as" | "transaction">) {
    const events = { ...tx.events, follow: () => Effect.die(new TypeError(notFollowed)) }
    return Object.assign(promiseApi(tx, this.run, callCheck), {
      once: promiseOnce(this.run, checkOnce, () => tx.once),
      events: this.withoutOtherEvents(promiseEvents(events, this.context, { run: this.run }, this.closed))
    })
  }
}
