import { PetstoreError } from "../domain/errors/PetstoreError.ts"
import { InternalError } from "../domain/errors/ServiceErrors.ts"

/** A function whose frames are left out of a stack, with those that it called. */
type Boundary = (...args: never) => unknown

// JavaScript engines have it, but the ECMAScript standard does not yet.
const captureStackTrace = (Error as { captureStackTrace?: (target: object, boundary: Boundary) => void })
  .captureStackTrace

/** Frames of Node.js, Deno and Bun themselves, such as the one that runs the next microtask. */
const frameOfRuntime = /\n {4}at .*[( ](?:node:internal|ext:|native:).*/g

/**
 * The frames of the functions that await `boundary`, which must be running and be async: engines follow chains of `await`
 * when a stack is captured, so that a call that succeeds pays nothing for this. Empty if nothing awaits it.
 */
const framesBehind = (boundary: Boundary): string => {
  const target: { stack?: unknown } = {}
  captureStackTrace?.(target, boundary)
  const { stack } = target
  if (typeof stack !== "string") return ""
  const start = stack.indexOf("\n    at ")
  return start === -1 ? "" : stack.slice(start).replaceAll(frameOfRuntime, "")
}

const copyOf = (error: PetstoreError): PetstoreError => {
  const { stack: _, ...properties } = Object.getOwnPropertyDescriptors(error)
  return Object.defineProperties(Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error)), properties)
}

/** The stacks of errors before a caller was added. An error may reach several callers, such as that of a shared commit. */
const ownStacks = new WeakMap<Error, string | undefined>()

const rejectionFor = (error: PetstoreError, frames: string): PetstoreError => {
  const own = ownStacks.has(error) || !Object.isExtensible(error) ? copyOf(error) : error
  own.stack = `${own.name}: ${own.message}${frames}`
  ownStacks.set(own, undefined)
  return own
}

const failureFor = (error: Error, frames: string): Error => {
  const isShared = ownStacks.has(error)
  const stack = isShared ? ownStacks.get(error) : error.stack
  const own = isShared && error instanceof PetstoreError ? copyOf(error) : error
  // An error of another library is not copied: if it reaches a second caller, it shows neither.
  if (Reflect.set(own, "stack", isShared && own === error ? stack : stack + frames)) ownStacks.set(own, stack)
  return own
}

/**
 * The error to throw to the caller of a method, with a stack that leads there. The stack of a `PetstoreError` begins with the
 * line that awaits the call, since its cause is there. An internal error keeps its own stack, and the caller's frames follow.
 */
export const withCallerStack = (error: unknown, boundary: Boundary): unknown => {
  if (!(error instanceof Error)) return error
  const frames = framesBehind(boundary)
  if (frames === "") return error
  const isRejection = error instanceof PetstoreError && !(error instanceof InternalError)
  return isRejection ? rejectionFor(error, frames) : failureFor(error, frames)
}

/** The same items. Errors get stacks that lead to the loop, except for the reason of the signal that ended it. */
export const eachWithCallerStack = <A>(items: AsyncIterable<A>, signal: AbortSignal | undefined): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = items[Symbol.asyncIterator]()
    const next = async (): Promise<IteratorResult<A>> => {
      try {
        return await iterator.next()
      } catch (error) {
        throw signal?.aborted === true && error === signal.reason ? error : withCallerStack(error, next)
      }
    }
    return { ...iterator, next }
  }
})
