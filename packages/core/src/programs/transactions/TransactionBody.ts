import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import { type Asker, type Cancel, Direct, type Done } from "../../ports/Direct.ts"

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

/** For platforms without asynchronous contexts: what a body does at once is known, as each step of an effect is. */
const untilReturn = (): AsyncContexts => {
  let current: TransactionBody | undefined
  return {
    run: (body, call) => {
      const before = current
      current = body
      try {
        return call()
      } finally {
        current = before
      }
    },
    getStore: () => current,
    disable: () => {}
  }
}

const asyncContexts = (): AsyncContexts => {
  const { process }: Platform = globalThis as Platform
  const hooks = process?.getBuiltinModule?.("node:async_hooks")
  return hooks === undefined ? untilReturn() : new hooks.AsyncLocalStorage()
}

/** What code runs in; undefined before the first transaction. */
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

  /** The function, or that of a part, as an effect, which fails with what the function rejects with. */
  promise<A>(body: () => Promise<A>): PromisedBody<A> {
    return new PromisedBody(() => this.call(body))
  }

  async call<A>(body: () => Promise<A>): Promise<A> {
    const known = this.begin()
    try {
      return await known.run(this, body)
    } finally {
      this.end()
    }
  }

  /** Runs the effect, whose steps are in the body wherever their fiber resumes, as are fibers and promises that they start. */
  effect<A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.begin()),
      (known) =>
        Effect.withFiber(({ context }) =>
          Effect.provideService(
            body,
            Tracer.Tracer,
            new BodyTracer(outsideTracer(context), (step) => known.run(this, step))
          )
        ),
      () => Effect.sync(() => this.end())
    )
  }

  private begin(): AsyncContexts {
    contexts ??= asyncContexts()
    this.parts++
    running++
    return contexts
  }

  private end(): void {
    this.parts--
    running--
    if (running === 0) contexts?.disable()
  }

  /** Whether it runs, and calls of this petstore would not belong to it. */
  private isOf(owner: object): boolean {
    return (this.parts > 0 && this.owner === owner) || this.around?.isOf(owner) === true
  }

  /** Whether any runs. */
  static get isAnyRunning(): boolean {
    return running > 0
  }

  /** Whether the function or effect of a running transaction on this petstore calls this now. */
  static isCalling(owner: object): boolean {
    return running > 0 && contexts?.getStore()?.isOf(owner) === true
  }

  /** The services of a fiber outside of the body that runs in it, as a call on the argument of the body is. */
  static outside(services: Context.Context<never>): Context.Context<never> {
    const tracer = outsideTracer(services)
    return tracer === Context.get(services, Tracer.Tracer) ? services : Context.add(services, Tracer.Tracer, tracer)
  }
}

/** A body that is a function: whatever it does is in the body, in a fiber or without one. */
export class PromisedBody<A> extends Direct<A, unknown> {
  private readonly begin: () => Promise<A>

  constructor(begin: () => Promise<A>) {
    super()
    this.begin = begin
  }

  run(_asker: Asker, done: Done<A, unknown>): Cancel {
    let end: Done<A, unknown> | undefined = done
    const ended = (exit: Exit.Exit<A, unknown>): void => {
      end?.(exit)
      end = undefined
    }
    this.begin().then(
      (value) => ended(Exit.succeed(value)),
      (cause) => ended(Exit.fail(cause))
    )
    return () => ended(Exit.interrupt())
  }

  asEffect(): Effect.Effect<A, unknown> {
    return Effect.tryPromise({ try: this.begin, catch: (cause) => cause })
  }
}

/** Calls a function that does not belong to the body which may have led to the call: that of a listener, for example. */
export const outsideBodies = <A>(call: () => A): A =>
  contexts?.getStore() === undefined ? call() : contexts.run(undefined, call)

/** Takes each step of a fiber into a body. */
class BodyTracer implements Tracer.Tracer {
  readonly context: Tracer.Tracer["context"]
  /** The tracer of the fiber outside of bodies. */
  readonly outside: Tracer.Tracer

  constructor(outside: Tracer.Tracer, inBody: <X>(step: () => X) => X) {
    this.outside = outside
    const { context = (primitive, fiber) => primitive["~effect/Effect/evaluate"](fiber) } = outside
    this.context = (primitive, fiber) => inBody(() => context(primitive, fiber))
  }

  span(options: Parameters<Tracer.Tracer["span"]>[0]): Tracer.Span {
    return this.outside.span(options)
  }
}

const outsideTracer = (context: Context.Context<never>): Tracer.Tracer => {
  const tracer = Context.get(context, Tracer.Tracer)
  return tracer instanceof BodyTracer ? tracer.outside : tracer
}
