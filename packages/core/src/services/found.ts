import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { NotFound } from "../domain/errors/RequestErrors.ts"
import { goOn } from "../ports/Direct.ts"

/** What was read of a resource by its id, which must be there. */
export const found = <Row, E>(
  kind: string,
  id: number | string,
  read: Effect.Effect<Row | undefined, E>
): Effect.Effect<Row, E | NotFound> =>
  goOn(read, (row) => (row === undefined ? Exit.fail(NotFound.of(kind, id)) : Exit.succeed(row)))
