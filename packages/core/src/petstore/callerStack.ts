import { PetstoreError } from "../domain/errors/PetstoreError.ts"
import { InternalError } from "../domain/errors/ServiceErrors.ts"

/** A function whose frames are left out of a stack, with those that it called. */
type Boundary = (...args: never) => unknown

// Engines of JavaScript have it, the standard library of ECMAScript does not yet.
const { captureStackTrace } = Error as { captureStackTrace?: (target: object, boundary: Boundary) => void }

/** Frames of Node.js, Deno and Bun, such as that which takes the next job of a queue. */
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

/** The stacks that errors had before they showed a caller. One may reach several, such as that of a commit that they shared. */
const ownStacks = new WeakMap<Error, string | undefined>()

const refusedFor = (error: PetstoreError, frames: string): PetstoreError => {
  const own = ownStacks.has(error) || !Object.isExtensible(error) ? copyOf(error) : error
  own.stack = `${own.name}: ${own.message}${frames}`
  ownStacks.set(own, undefined)
  return own
}

const failedFor = (error: Error, frames: string): Error => {
  const isShared = ownStacks.has(error)
  const stack = isShared ? ownStacks.get(error) : error.stack
  const own = isShared && error instanceof PetstoreError ? copyOf(error) : error
  // Nobody else's error is copied: one that reaches a second caller shows neither.
  if (Reflect.set(own, "stack", isShared && own === error ? stack : stack + frames)) ownStacks.set(own, stack)
  return own
}

/**
 * The error to throw at the caller of a call, with a stack that leads there. A refusal is the caller's to look into: its
 * stack begins with the line that awaits the call. Any other error keeps its own stack, and the caller's frames follow.
 */
export const withCallerStack = (error: unknown, boundary: Boundary): unknown => {
  if (!(error instanceof Error)) return error
  const frames = framesBehind(boundary)
  if (frames === "") return error
  const isRefusal = error instanceof PetstoreError && !(error instanceof InternalError)
  return isRefusal ? refusedFor(error, frames) : failedFor(error, frames)
}

/** The same items; errors get stacks that lead to the loop, except the reason of the signal that ended it. */
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
