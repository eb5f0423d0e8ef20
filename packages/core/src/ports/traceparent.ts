/**
 * The key of the trace context of an event, in the form of the header `traceparent` (W3C): that of the call that wrote it, if that was
 * traced. It is a symbol, so it is in the store and in the record, but in no JSON, and no copy by names has it.
 */
export const traceparent: unique symbol = Symbol.for("@petstore/core/ports/traceparent")

/** What may have been written by a call that was traced. */
export interface Traced {
  readonly [traceparent]?: string
}
