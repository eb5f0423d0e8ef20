import * as Result from "effect/Result"

/** A row that a command waits for: what it asked for, until the answer. `yield*` of it is the result. */
export class Waiting<A> {
  private isAsked = false;

  [Symbol.iterator](): Iterator<Waiting<A>, A, unknown> {
    return this
  }

  next(answer?: unknown): IteratorResult<Waiting<A>, A> {
    if (this.isAsked) return { done: true, value: answer as A }
    this.isAsked = true
    return { done: false, value: this }
  }
}

/** An answer that is at hand: `yield*` of it costs no suspension. */
export class Known<A> {
  readonly done = true
  readonly value: A

  constructor(value: A) {
    this.value = value
  }

  [Symbol.iterator](): Iterator<never, A, unknown> {
    return this
  }

  next(): IteratorResult<never, A> {
    return this
  }
}

/** An answer, at hand or not. */
export type Answer<A> = Known<A> | Waiting<A>

/** What a program asks for: `yield*` of it is the result. */
export interface Asked<A> {
  [Symbol.iterator](): Iterator<Waiting<unknown>, A, unknown>
}

/** The end of a command by an error. */
export class Failed<E> {
  readonly error: E

  constructor(error: E) {
    this.error = error
  }

  *[Symbol.iterator](): Generator<Failed<E>, never, unknown> {
    yield this
    throw new Error("A command goes on after it has failed")
  }
}

/**
 * A use case: a synchronous program that reads and locks rows of a {@link Transaction}, decides, and writes. What it returns, and how
 * it can fail, which is inferred from its body. A store may run it more than once, and only the last run counts: it may do nothing
 * that must not be repeated.
 */
export type Command<A, E = never> = Generator<Failed<E> | Waiting<unknown>, A, unknown>

/** What a command yields to what runs it. */
export type Yielded = Failed<unknown> | Waiting<unknown>

/** How a command can fail, by what it yields. */
export type FailureOf<Y> = Y extends Failed<infer E> ? E : never

/** Ends the command with an error: nothing that it has written is kept. */
export const fail = <E>(error: E): Failed<E> => new Failed(error)

/** The value of a success. A failure ends the command. */
export const orFail = <A, E>(result: Result.Result<A, E>): Known<A> | Failed<E> =>
  Result.isSuccess(result) ? new Known(result.success) : fail(result.failure)

/** Ends a use case at once with the result of an earlier call: it writes nothing. */
export class Ended extends Waiting<never> {
  readonly value: unknown

  constructor(value: unknown) {
    super()
    this.value = value
  }
}

/** Ends a run of a use case by an error, which may not occur in another run: behind `First`, it starts anew. */
export class Again<E, First> extends Waiting<never> {
  readonly error: E
  readonly first: First

  constructor(error: E, first: First) {
    super()
    this.error = error
    this.first = first
  }
}

/** Runs a command as a part of another one, which fails with another error in its place. */
export function* mapFailure<Y extends Yielded, A, E>(
  command: Generator<Y, A, unknown>,
  toError: (error: FailureOf<Y>) => E
): Generator<Failed<E> | Waiting<unknown>, A, unknown> {
  let step = command.next()
  while (step.done !== true) {
    const { value } = step
    if (value instanceof Failed) return yield* fail(toError(value.error as FailureOf<Y>))
    step = command.next(yield value as Waiting<unknown>)
  }
  return step.value
}

/** Runs a command whose answers are all at hand, to its end. */
export const runNow = <Y extends Yielded, A>(command: Generator<Y, A, unknown>): Result.Result<A, FailureOf<Y>> => {
  const step = command.next()
  if (step.done === true) return Result.succeed(step.value)
  if (step.value instanceof Failed) return Result.fail(step.value.error as FailureOf<Y>)
  throw new Error("A command waits for a row that should be at hand")
}
