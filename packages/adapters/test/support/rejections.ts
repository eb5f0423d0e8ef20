import { assert } from "vitest"

/** A value that the types forbid, as callers in plain JavaScript may pass. */
export const untyped = (value: unknown): never => value as never

/** The error that a call rejects with. */
export const rejection = async (call: Promise<unknown>): Promise<Error & { readonly code?: string }> => {
  const [outcome] = await Promise.allSettled([call])
  return outcome.status === "fulfilled" ? assert.fail("Expected a rejection") : outcome.reason
}

/** The code of the error that a call rejects with, or an error that has none. */
export const codeOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await rejection(call)
  return error.code ?? error
}

/** Throws unless a call rejects with a TypeError that matches. */
export const rejectsTypeError = async (call: Promise<unknown>, message: RegExp): Promise<void> => {
  const error = await rejection(call)
  assert.instanceOf(error, TypeError)
  assert.match(error.message, message)
}
