import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { visibleOwner } from "../access/Principal.ts"
import { NotFound } from "../domain/errors/RequestErrors.ts"
import { type Command, fail } from "../engine/Command.ts"
import { map, withPrincipal } from "../ports/Direct.ts"
import type { Rows } from "../ports/Rows.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { type OrderRecord, orderOf, orders } from "./orderTable.ts"

/** Reads an order that exists for the caller. The store returns no other, so that one costs what none costs. */
export const findVisible = (
  rows: Pick<Rows, "find" | "select">,
  id: number
): Effect.Effect<OrderRecord | undefined, StorageError> =>
  withPrincipal((principal) => {
    const owner = visibleOwner(principal)
    return owner === undefined
      ? rows.find(orders, id)
      : map(rows.select(orderOf, { id, owner }, 1), (found) => found[0])
  })

/**
 * Whether a change finds no order that exists for the caller. Then it locks none, so that the order of another takes the statements of
 * one that does not exist, and waits for nobody. An order keeps its owner.
 */
export const isHidden = (rows: Pick<Rows, "find" | "select">, id: number): Effect.Effect<boolean, StorageError> =>
  withPrincipal((principal) =>
    visibleOwner(principal) === undefined
      ? Exit.succeed(false)
      : map(findVisible(rows, id), (record) => record === undefined)
  )

/** A command on a hidden order. */
export function* notFound(id: number): Command<never, NotFound> {
  return yield* fail(NotFound.of("order", id))
}
