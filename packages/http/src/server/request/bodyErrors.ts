import { InternalError, MalformedRequest } from "@petstore/core/domain"

/** The host application has read a body without leaving it to the handler. Clients see this message: it contains no secret. */
export class BodyAlreadyRead extends InternalError {
  constructor(fix: string) {
    super({}, { message: `The server read the body of this request before the petstore could. ${fix}` })
  }
}

/** The client stopped in the middle of the body. */
export const endedTooEarly = (cause?: unknown): MalformedRequest =>
  new MalformedRequest({}, { message: "The body ended too early.", ...(cause === undefined ? {} : { cause }) })

/** The body of an operation that takes none is over the limit. */
export const unusedTooLarge = (limit: number): MalformedRequest =>
  new MalformedRequest({}, { message: `This operation takes no body, and ignores one of up to ${limit} bytes only.` })
