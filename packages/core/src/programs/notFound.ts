import { NotFound } from "../domain/errors/RequestErrors.ts"
import { type Failed, fail } from "../kernel/Command.ts"

/** Ends a program that needs a resource which is not there. */
export const notFound = (kind: string, id: number | string): Failed<NotFound> => fail(NotFound.of(kind, id))
