import { assert } from "vitest"

/** A value that the types forbid, as callers in plain JavaScript may pass. */
export const untyped = (value: unknown): never => value as never

/** The error that a call rejects with. */
export const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail("Expected a rejection"),
    (error: unknown) => error
  )

/** The code of the error that a call rejects with. */
export const codeOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await rejection(call)
  return error instanceof Error && "code" in error ? error.code : error
}

/** Throws unless a call rejects with a TypeError that matches. */
export const rejectsTypeError = async (call: Promise<unknown>, message: RegExp): Promise<void> => {
  const error = await rejection(call)
  assert.instanceOf(error, TypeError)
  assert.match(error.message, message)
}
