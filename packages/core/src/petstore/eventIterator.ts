import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import type { Event, EventQuery, EventType } from "../domain/events/Event.ts"
import type { EventSource, Follower } from "../programs/events/EventSource.ts"
import { followEvents } from "./eventQueries.ts"

/** The error of every call on a closed petstore. */
export const closedPetstore = (): ShuttingDown =>
  new ShuttingDown({}, { message: "This petstore is closed. Create another one." })

/** What ends a loop, other than the loop itself. */
interface LoopEnds {
  /** Throws for a step that must not be made now. */
  readonly admit?: (() => void) | undefined
  /** Ends the loop without an error. */
  readonly closing: AbortSignal
  /** Rejects with its reason. */
  readonly signal: AbortSignal | undefined
}

/** Follows a log from the first call of `next` until its end, or until `return`, which does not wait for the next event. */
export const eventIterator = <T extends EventType, E>(
  source: Pick<EventSource<E>, "follow">,
  query: EventQuery<T>,
  context: Context.Context<never>,
  { admit, closing, signal }: LoopEnds
): AsyncIterator<Event<T>, undefined> => {
  const runPromise = Effect.runPromiseExitWith(context)
  const left = new AbortController()
  const end = AbortSignal.any([left.signal, closing, ...(signal === undefined ? [] : [signal])])
  const scope = Scope.makeUnsafe()
  const done: IteratorReturnResult<undefined> = { done: true, value: undefined }
  let follower: Follower<T, E> | undefined
  let page: ReadonlyArray<Event<T>> = []
  let index = 0
  /** Whether the petstore was closed when the loop began. */
  let wasClosed: boolean | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const finish = async (): Promise<IteratorReturnResult<undefined>> => {
    left.abort()
    await runPromise(Scope.close(scope, Exit.void))
    return done
  }

  const nextPage = Effect.gen(function* () {
    follower ??= yield* Scope.provide(followEvents(source, query), scope)
    return yield* follower.next
  })

  const advance = async (): Promise<IteratorResult<Event<T>, undefined>> => {
    if (left.signal.aborted) return done
    if (signal?.aborted === true) {
      await finish()
      throw signal.reason
    }
    if (closing.aborted) {
      await finish()
      if (wasClosed) throw closedPetstore()
      return done
    }
    const event = page[index++]
    if (event !== undefined) return { done: false, value: event }
    const exit = await runPromise(nextPage, { signal: end })
    if (Exit.isSuccess(exit)) {
      page = exit.value
      index = 0
      return advance()
    }
    // The loop ended while it waited; the reason is found above.
    if (end.aborted && Cause.hasInterruptsOnly(exit.cause)) return advance()
    await finish()
    const error = Cause.squash(exit.cause)
    if (error instanceof ShuttingDown && closing.aborted) return done
    throw error
  }

  return {
    next: () => {
      admit?.()
      wasClosed ??= closing.aborted
      const result = turn.then(advance)
      turn = result.catch(() => {})
      return result
    },
    return: finish
  }
}
