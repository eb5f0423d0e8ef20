/** A value that the types forbid, as callers without types send it. */
export const untyped = (value: unknown): never => value as never
