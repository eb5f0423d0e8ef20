import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** What is used of an AsyncLocalStorage; core has no types of Node.js. */
interface AsyncContexts {
  readonly run: <A>(body: TransactionBody | undefined, call: () => A) => A
  readonly getStore: () => TransactionBody | undefined
  readonly disable: () => void
}

interface Platform {
  readonly process?: {
    readonly getBuiltinModule?: (
      id: "node:async_hooks"
    ) => { readonly AsyncLocalStorage: new () => AsyncContexts } | undefined
  }
}

const asyncContexts = (): AsyncContexts | undefined => {
  const { process }: Platform = globalThis as Platform
  const hooks = process?.getBuiltinModule?.("node:async_hooks")
  return hooks === undefined ? undefined : new hooks.AsyncLocalStorage()
}

/** What asynchronous code runs in; undefined before the first transaction, and on platforms that do not know. */
let contexts: AsyncContexts | undefined
let running = 0

/** Why a call is rejected that a body has made on the petstore. */
export const notItsOwn =
  "The function of petstore.transaction has called the petstore instead of its argument, so the call would not belong to the transaction. Nothing was changed. Make the call on the argument, as in tx.orders.place({ petId: 1 }), or pass { transaction: tx }, or make it after the transaction. A transaction in it is tx.transaction."

/**
 * The function or effect of a transaction, to find calls that it makes on the petstore itself: these would commit and read beside the
 * transaction. Costs nothing as long as no transaction runs.
 */
export class TransactionBody {
  private readonly owner: object
  /** The body of another petstore's transaction that has begun this one. */
  private readonly around: TransactionBody | undefined
  private parts = 0

  /** `owner`: what calls of this petstore have in common. */
  constructor(owner: object) {
    this.owner = owner
    this.around = running === 0 ? undefined : contexts?.getStore()
  }

  /** Runs the function, or that of a part. */
  async call<A>(body: () => Promise<A>): Promise<A> {
    contexts ??= asyncContexts()
    this.begin()
    try {
      return await (contexts === undefined ? body() : contexts.run(this, body))
    } finally {
      this.end()
    }
  }

  /** Runs the effect. */
  effect<A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.begin()),
      () => Effect.provideService(body, OpenBody, this),
      () => Effect.sync(() => this.end())
    )
  }

  private begin(): void {
    this.parts++
    running++
  }

  private end(): void {
    this.parts--
    running--
    if (running === 0) contexts?.disable()
  }

  /** Whether it runs, and calls of this petstore would not belong to it. */
  isOf(owner: object): boolean {
    return (this.parts > 0 && this.owner === owner) || this.around?.isOf(owner) === true
  }

  /** Whether any runs. */
  static get isAnyRunning(): boolean {
    return running > 0
  }

  /** Whether a running function on this petstore calls this now. */
  static isCalling(owner: object): boolean {
    return running > 0 && contexts?.getStore()?.isOf(owner) === true
  }

  /** The one whose effect this is the context of. */
  static of(context: Context.Context<never>): TransactionBody | undefined {
    return Context.get(context, OpenBody)
  }

  /** Whether an effect is a part of a running one whose petstore this is. */
  static isAround(context: Context.Context<never>, owner: object): boolean {
    return running > 0 && TransactionBody.of(context)?.isOf(owner) === true
  }

  /** The effect as one that no body runs: a handler that a body has opened, for example. */
  static apart<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.provideService(effect, OpenBody, undefined)
  }
}

/** Calls a function that does not belong to the body which may have led to the call: that of a listener, for example. */
export const outsideBodies = <A>(call: () => A): A =>
  running === 0 || contexts === undefined ? call() : contexts.run(undefined, call)

/** The body that a fiber runs. */
const OpenBody: Context.Reference<TransactionBody | undefined> = Context.Reference<TransactionBody | undefined>(
  "@petstore/core/transactions/OpenBody",
  { defaultValue: () => undefined }
)
