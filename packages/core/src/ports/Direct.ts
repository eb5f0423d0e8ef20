import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import { Principal, type PrincipalInfo } from "../domain/access/Principal.ts"
import { OnTransactionStart } from "./HostTransaction.ts"

/** Who waits for an outcome. */
export interface Asker {
  readonly principal: PrincipalInfo
  /** The services of the caller: its clock, and its span if it is traced. */
  readonly services: Context.Context<never>
  /** Whether these services say all: the caller is the owner of the store, and does not listen to the start of commands. */
  readonly isPlain?: boolean
  /** Whether it reads several times in a turn of the event loop, as a transaction does: a store may read as for one caller. */
  readonly readsOften?: boolean
  /** See {@link OnTransactionStart}. */
  onStart(): (() => void) | undefined
}

/** Takes an outcome. It does not throw. */
export type Done<A, E> = (exit: Exit.Exit<A, E>) => void

/** Ends what has not begun: its outcome is an interruption. What has begun goes on to its outcome. */
export type Cancel = () => void

const nothing: Cancel = () => {}

/**
 * An effect that an {@link Asker} can run without a fiber. In a fiber, its steps are those of that fiber, so that the regions which can be
 * interrupted are the same.
 */
export abstract class Direct<A, E = never> extends Effectable.Class<A, E> {
  /** Calls `done` once, now or later. */
  abstract run(asker: Asker, done: Done<A, E>): Cancel
}

class Called<A, E> extends Direct<A, E> {
  override readonly run: Direct<A, E>["run"]

  constructor(run: Direct<A, E>["run"]) {
    super()
    this.run = run
  }

  asEffect(): Effect.Effect<A, E> {
    return inFiber(this.run)
  }
}

/** An effect that calls back. */
export const direct = <A, E = never>(run: Direct<A, E>["run"]): Direct<A, E> => new Called(run)

/** Who waits in a fiber with these services. */
const askerOf = (services: Context.Context<never>): Asker => ({
  principal: Context.get(services, Principal),
  services,
  isPlain: true,
  onStart: Context.get(services, OnTransactionStart)
})

/** What calls back, in a fiber: its interruption cancels what has not begun, and waits for what has. */
const inFiber = <A, E>(run: Direct<A, E>["run"]): Effect.Effect<A, E> =>
  Effect.withFiber(({ context }): Effect.Effect<A, E> => {
    let outcome: Exit.Exit<A, E> | undefined
    let onEnd = (exit: Exit.Exit<A, E>): void => {
      outcome = exit
    }
    const cancel = run(askerOf(context), (exit) => onEnd(exit))
    if (outcome !== undefined) return outcome
    return Effect.callback((resume) => {
      onEnd = (exit) => {
        outcome = exit
        resume(exit)
      }
      return Effect.callback((ended) => {
        // An outcome that is an interruption comes here, too.
        if (outcome !== undefined) return ended(Effect.void)
        onEnd = () => ended(Effect.void)
        cancel()
      })
    })
  })

const forked = <A, E>(effect: Effect.Effect<A, E>, asker: Asker, done: Done<A, E>): Cancel => {
  const { isPlain, principal, services } = asker
  const all =
    isPlain === true
      ? services
      : Context.add(Context.add(services, Principal, principal), OnTransactionStart, () => asker.onStart())
  const fiber = Effect.runForkWith(all)(effect)
  const exit = fiber.pollUnsafe()
  if (exit === undefined) {
    fiber.addObserver(done)
    return () => fiber.interruptUnsafe()
  }
  done(exit)
  return nothing
}

/** Runs an effect: without a fiber if it needs none. */
export const ask = <A, E>(effect: Effect.Effect<A, E>, asker: Asker, done: Done<A, E>): Cancel => {
  if (effect instanceof Direct) return effect.run(asker, done)
  if (!Exit.isExit(effect)) return forked(effect, asker, done)
  done(effect as Exit.Exit<A, E>)
  return nothing
}

/** What a function throws is a defect. */
const made = <A, B, E>(next: (value: A) => Effect.Effect<B, E>, value: A): Effect.Effect<B, E> => {
  try {
    return next(value)
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** The same as {@link ask}, for the effect that a function makes. If the function throws, that is a defect. */
export const askNext = <A, E, By extends Asker>(
  next: (asker: By) => Effect.Effect<A, E>,
  asker: By,
  done: Done<A, E>
): Cancel => ask(made(next, asker), asker, done)

class Asking<A, E> extends Direct<A, E> {
  /** Makes the effect for who asks. */
  readonly next: (asker: Asker) => Effect.Effect<A, E>

  constructor(next: (asker: Asker) => Effect.Effect<A, E>) {
    super()
    this.next = next
  }

  run(asker: Asker, done: Done<A, E>): Cancel {
    return ask(made(this.next, asker), asker, done)
  }

  asEffect(): Effect.Effect<A, E> {
    return Effect.withFiber(({ context }) => this.next(askerOf(context)))
  }
}

/** An effect that is made when it runs, for whom it runs. */
export const asking = <A, E>(next: (asker: Asker) => Effect.Effect<A, E>): Direct<A, E> => new Asking(next)

/** What an effect is for who asks now: its exit, if that is at hand. */
export const askedNow = <A, E>(effect: Effect.Effect<A, E>, asker: Asker): Effect.Effect<A, E> => {
  let asked = effect
  while (asked instanceof Asking) asked = made<Asker, A, E>(asked.next, asker)
  return asked
}

/** Whether the caller has a span. */
export const isTraced = ({ services }: Asker): boolean => services.mapUnsafe.has(Tracer.ParentSpan.key)

/** An effect that a traced caller runs in a fiber: spans are those of fibers. */
export const untraced = <A, E>(
  next: (asker: Asker) => Effect.Effect<A, E>,
  traced: () => Effect.Effect<A, E>
): Direct<A, E> => asking((asker) => (isTraced(asker) ? traced() : next(asker)))

/** What a promise becomes. It has no outcome for who does not wait for it any more. */
export const awaiting = <A, E>(begin: () => Promise<A>, explain: (cause: unknown) => E): Direct<A, E> =>
  direct((_asker, done) => {
    let end: Done<A, E> | undefined = done
    const ended = (exit: Exit.Exit<A, E>): void => {
      end?.(exit)
      end = undefined
    }
    // Like an async function, for what it throws.
    new Promise<A>((resolve) => resolve(begin())).then(
      (value) => ended(Exit.succeed(value)),
      (cause) => ended(Exit.fail(explain(cause)))
    )
    return () => ended(Exit.interrupt())
  })

class Continued<A, E, B, F> extends Direct<B, F> {
  private readonly first: Effect.Effect<A, E>
  private readonly next: (exit: Exit.Exit<A, E>) => Effect.Effect<B, F>

  constructor(first: Effect.Effect<A, E>, next: (exit: Exit.Exit<A, E>) => Effect.Effect<B, F>) {
    super()
    this.first = first
    this.next = next
  }

  run(asker: Asker, done: Done<B, F>): Cancel {
    let cancelNext: Cancel | undefined
    const cancel = ask(this.first, asker, (exit) => {
      cancelNext = ask(made(this.next, exit), asker, done)
    })
    return cancelNext ?? (() => (cancelNext ?? cancel)())
  }

  asEffect(): Effect.Effect<B, F> {
    return Effect.matchCauseEffect(this.first, {
      onFailure: (cause) => this.next(Exit.failCause(cause)),
      onSuccess: (value) => this.next(Exit.succeed(value))
    })
  }
}

/** Goes on with another effect after a success: at once if there is one already. */
export const goOn = <A, E, B, F>(
  self: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, F>
): Effect.Effect<B, E | F> => {
  if (!Exit.isExit(self)) {
    return new Continued(
      self,
      (exit): Effect.Effect<B, E | F> => (Exit.isSuccess(exit) ? next(exit.value) : (exit as Exit.Exit<never, E>))
    )
  }
  const exit = self as Exit.Exit<A, E>
  if (Exit.isFailure(exit)) return exit as Exit.Exit<never, E>
  try {
    return next(exit.value)
  } catch (defect) {
    return Exit.die(defect)
  }
}

class Ending<A, E> extends Direct<A, E> {
  private readonly self: Effect.Effect<A, E>
  private readonly onEnd: () => void

  constructor(self: Effect.Effect<A, E>, onEnd: () => void) {
    super()
    this.self = self
    this.onEnd = onEnd
  }

  run(asker: Asker, done: Done<A, E>): Cancel {
    return ask(this.self, asker, (exit) => {
      this.onEnd()
      done(exit)
    })
  }

  asEffect(): Effect.Effect<A, E> {
    return Effect.onExit(this.self, () => Effect.sync(this.onEnd))
  }
}

/** Calls a function when the effect ends, also by an interruption. It does not throw. */
export const ending = <A, E>(self: Effect.Effect<A, E>, onEnd: () => void): Direct<A, E> => new Ending(self, onEnd)

/** Maps a value. */
export const map = <A, E, B>(self: Effect.Effect<A, E>, f: (value: A) => B): Effect.Effect<B, E> =>
  goOn(self, (value) => Exit.succeed(f(value)))

/** Goes on with another effect after a failure that `isCaught`. */
export const orElse = <A, E, Caught extends E, F>(
  self: Effect.Effect<A, E>,
  isCaught: (error: E) => error is Caught,
  next: (error: Caught) => Effect.Effect<A, F>
): Direct<A, E | F> =>
  new Continued(self, (exit): Effect.Effect<A, E | F> => {
    const [reason] = Exit.isFailure(exit) ? exit.cause.reasons : []
    return reason?._tag === "Fail" && isCaught(reason.error) ? next(reason.error) : exit
  })

/** Runs an effect that depends on who runs it. */
export const withPrincipal = <A, E>(body: (principal: PrincipalInfo) => Effect.Effect<A, E>): Direct<A, E> =>
  asking(({ principal }) => body(principal))

class AskedBy<A, E> extends Direct<A, E> {
  private readonly principal: PrincipalInfo
  private readonly self: Effect.Effect<A, E>

  constructor(principal: PrincipalInfo, self: Effect.Effect<A, E>) {
    super()
    this.principal = principal
    this.self = self
  }

  run(asker: Asker, done: Done<A, E>): Cancel {
    const { principal } = this
    return ask(this.self, { principal, services: asker.services, onStart: () => asker.onStart() }, done)
  }

  asEffect(): Effect.Effect<A, E> {
    return Effect.provideService(this.self, Principal, this.principal)
  }
}

/** The same effect on behalf of a caller. */
export const askedBy = <A, E>(principal: PrincipalInfo, self: Effect.Effect<A, E>): Direct<A, E> =>
  new AskedBy(principal, self)
