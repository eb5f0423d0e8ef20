import * as Exit from "effect/Exit"
import { InternalError } from "../domain/errors/ServiceErrors.ts"

/** Refuses a write that would break the store's own rules: the wall behind the domain's. */
export const violation = (message: string): Exit.Exit<never, InternalError> =>
  Exit.fail(new InternalError({}, { cause: new Error(message) }))
