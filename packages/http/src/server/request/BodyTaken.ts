import { InternalError } from "@petstore/core/domain"

/** The host has read a body and left nothing of it: a mistake of the mount, which the answer tells, as nothing in it is secret. */
export class BodyTaken extends InternalError {
  constructor(fix: string) {
    super({}, { message: `The server read the body of this request before the petstore could. ${fix}` })
  }
}
