import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import type { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { CursorExpired } from "../domain/errors/RequestErrors.ts"
import type { Event, EventType } from "../domain/events/Event.ts"
import type { EventSource, Follower } from "../programs/events/EventSource.ts"
import { outsideBodies } from "../programs/transactions/TransactionBody.ts"
import { followEvents } from "./eventQueries.ts"
import type { SubscribeOptions, Subscription } from "./PetstoreApi.ts"

type Listener<T extends EventType> = (event: Event<T>) => unknown
type OnError<T extends EventType> = SubscribeOptions<T>["onError"]

const calling = (call: () => unknown): Effect.Effect<unknown, unknown> =>
  Effect.tryPromise({ try: async () => outsideBodies(call), catch: (error) => error })

/** Gives errors to `onError`, or to the log. Of failures of `onError` in a row, the log has the first. */
const reporting = <T extends EventType>(onError: OnError<T>) => {
  let hasFailed = false
  return (error: unknown, event?: Event<T>): Effect.Effect<void> => {
    const what = event === undefined ? "The event log could not be read" : `A listener failed with event ${event.seq}`
    if (onError === undefined) return Effect.logError(what, error)
    return Effect.matchEffect(
      calling(() => onError(error, event)),
      {
        onSuccess: () =>
          Effect.sync(() => {
            hasFailed = false
          }),
        onFailure: (failure) => {
          if (hasFailed) return Effect.void
          hasFailed = true
          return Effect.logError(
            `${what}, and so did onError; further ones are not logged until it succeeds`,
            error,
            failure
          )
        }
      }
    )
  }
}

/**
 * Calls a listener with the events of a follower, one after the other. It uses no fiber while all goes well: with a hundred
 * listeners, waking a fiber for each would cost more than the commit.
 */
class Delivery<T extends EventType> {
  private readonly follower: Follower<T, unknown>
  private readonly listener: Listener<T>
  private readonly report: (error: unknown, event?: Event<T>) => Effect.Effect<void>
  private readonly runEffect: <A>(effect: Effect.Effect<A>, then: (value: A) => void) => void
  private readonly onEnd: () => void
  private page: ReadonlyArray<Event<T>> = []
  /** How many events of the page are handled. */
  private index = 0
  /** The `seq` up to which everything before the page is handled. */
  private before: number
  private isReading = false
  isClosed = false

  constructor(
    follower: Follower<T, unknown>,
    listener: Listener<T>,
    onError: OnError<T>,
    runEffect: <A>(effect: Effect.Effect<A>, then: (value: A) => void) => void,
    onEnd: () => void
  ) {
    this.follower = follower
    this.listener = listener
    this.report = reporting(onError)
    this.runEffect = runEffect
    this.onEnd = onEnd
    this.before = follower.start
  }

  /** The `seq` up to which everything is handled. */
  get position(): number {
    const { index, page } = this
    const isIdle = !this.isClosed && !this.isReading && index === page.length
    return isIdle ? this.follower.position : (page[index - 1]?.seq ?? this.before)
  }

  /** No call of the listener starts from now on. */
  close(): void {
    if (this.index === this.page.length) {
      this.before = this.position
      this.page = []
      this.index = 0
    }
    this.isClosed = true
  }

  /** Delivers what there is, and waits for more. */
  readonly resume = (): void => outsideBodies(this.deliver)

  private readonly deliver = (): void => {
    while (!this.isClosed) {
      if (this.index === this.page.length && !this.nextPage()) return
      if (!this.deliverPage()) return
    }
  }

  /** Calls the listener with the rest of the page. Returns whether to go on now; if not, {@link resume} is called later. */
  private deliverPage(): boolean {
    const { listener, page } = this
    // Up to hundreds of listeners are called with each event.
    for (let event = page[this.index]; event !== undefined; event = page[++this.index]) {
      if (this.isClosed) return false
      try {
        const result = listener(event)
        // Most return nothing, which needs no call to see.
        if (result !== undefined && Predicate.isPromiseLike(result)) {
          this.resumeWhenDone(result, event)
          return false
        }
      } catch (error) {
        this.recover(event, error)
        return false
      }
    }
    return true
  }

  // Apart from the loop, which would make a context of each event for functions in it.
  private resumeWhenDone(result: PromiseLike<unknown>, event: Event<T>): void {
    Promise.resolve(result).then(
      () => this.resumeAfter(),
      (error) => this.recover(event, error)
    )
  }

  /** Returns whether to go on now; if not, {@link resume} is called later. */
  private nextPage(): boolean {
    const { follower } = this
    this.before = follower.position
    this.page = follower.take()
    this.index = 0
    if (this.page.length > 0) return true
    if (follower.isClosed) this.onEnd()
    else if (follower.mustRead) this.read()
    else follower.onMore(this.resume)
    return false
  }

  private read(): void {
    this.isReading = true
    this.runEffect(Effect.exit(Effect.catchDefect(this.follower.read, Effect.fail)), (exit) => {
      this.isReading = false
      if (Exit.isSuccess(exit)) {
        this.page = exit.value
        return this.resume()
      }
      const error = Cause.squash(exit.cause)
      // The next event will never be there.
      this.runEffect(this.report(error), error instanceof CursorExpired ? this.onEnd : this.resume)
    })
  }

  private resumeAfter(): void {
    this.index++
    this.resume()
  }

  private recover(event: Event<T>, error: unknown): void {
    // Yields, so that the stack does not grow with each failure.
    this.runEffect(Effect.andThen(Effect.yieldNow, this.report(error, event)), () => {
      // If onError has closed the subscription, the event counts as not handled.
      if (!this.isClosed) this.resumeAfter()
    })
  }
}

/** Calls a listener with the events of a petstore; `closing` ends the subscription when the petstore closes. */
export const subscribe = <T extends EventType, E>(
  source: Pick<EventSource<E>, "follow">,
  listener: Listener<T>,
  { onError, signal, ...query }: SubscribeOptions<T>,
  closing: AbortSignal
): Effect.Effect<Subscription, ValidationFailed | E> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const follower = yield* followEvents<T, E>(source, query).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const runEffect = <A>(effect: Effect.Effect<A>, then: (value: A) => void): void => {
      fork(Effect.map(effect, then))
    }
    const close = (): void => {
      if (delivery.isClosed) return
      delivery.close()
      fork(Scope.close(scope, Exit.void))
    }
    const delivery = new Delivery(follower, listener, onError, runEffect, close)

    for (const end of signal === undefined ? [closing] : [closing, signal]) {
      if (end.aborted) close()
      end.addEventListener("abort", close)
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => end.removeEventListener("abort", close))
      )
    }
    // The caller has the subscription before the listener gets its first event.
    runEffect(Effect.yieldNow, delivery.resume)

    return {
      get position() {
        return delivery.position
      },
      close,
      [Symbol.dispose]: close
    }
  }).pipe(Effect.uninterruptible)
