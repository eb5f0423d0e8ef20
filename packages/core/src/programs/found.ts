import { NotFound } from "../domain/errors/RequestErrors.ts"
import { type Asked, type Command, fail } from "../kernel/Command.ts"

/** What was read of a resource by its id, which must be there. */
export function* found<Row>(
  kind: string,
  id: number | string,
  read: Asked<Row | undefined> | Command<Row | undefined>
): Command<Row, NotFound> {
  return (yield* read) ?? (yield* fail(NotFound.of(kind, id)))
}
