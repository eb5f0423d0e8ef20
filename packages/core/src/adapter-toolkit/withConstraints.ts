import * as Effect from "effect/Effect"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import { limits } from "../domain/limits.ts"
import { stateProblem } from "../domain/MessageState.ts"
import type { Movement } from "../domain/Movement.ts"
import { fieldProblem } from "../domain/Order.ts"
import { statusOf } from "../domain/Stock.ts"
import type { OrderRecord } from "../ports/OrderRows.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import type { Rows } from "../ports/Rows.ts"

/** The constraint on the columns of a pet that this row violates, in words; undefined if it violates none. */
const violatedPetConstraint = ({ stock, deleted }: Pick<PetRecord, "stock" | "deleted">): string | undefined => {
  const { onHand, reserved, held } = stock
  const sound = 0 <= reserved && reserved <= onHand && onHand <= limits.stock && (!held || onHand > 0)
  if (!sound) return `The stock of a pet cannot be ${JSON.stringify(stock)}`
  return deleted && onHand > 0 ? "A deleted pet has no stock" : undefined
}

/**
 * The tables that constraints look rows up in, tombstones included, within the transaction that is about to write. Rows
 * are only read, so they need not be copies.
 */
export interface StoredRows {
  readonly accounts: { readonly get: (id: number) => unknown }
  readonly consumers: { readonly get: (name: string) => unknown }
  readonly categories: { readonly get: (id: number) => unknown }
  readonly messages: { readonly get: (id: string) => unknown }
  readonly orders: { readonly get: (id: number) => unknown }
  readonly pets: { readonly get: (id: number) => PetRecord | undefined }
  readonly webhooks: { readonly get: (id: number) => unknown }
  /** `last`: the `seq` of the last movement of a pet; 0 if there is none. */
  readonly movements: { readonly last: (petId: number) => number }
}

/** When a call is checked and made: `Effect.suspend`, or at once for {@link immediateRows}. */
type Suspend = <A, E, R>(call: () => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The first violation; undefined if there is none. */
type Problem = string | undefined

const missing = (what: string, id: number | string, found: unknown): Problem =>
  found === undefined ? `There is no ${what} ${id}` : undefined

/** What is wrong with rows that are about to be written, beside their own fields. */
export const rowProblems = (stored: StoredRows) => ({
  account: (id: number): Problem => missing("account", id, stored.accounts.get(id)),
  pet: (row: Omit<PetRecord, "id">): Problem =>
    violatedPetConstraint(row) ?? missing("category", row.categoryId, stored.categories.get(row.categoryId)),
  order: ({ order }: Omit<OrderRecord, "id">): Problem =>
    fieldProblem(order) ??
    (order.petId === undefined ? undefined : missing("pet", order.petId, stored.pets.get(order.petId))),
  movement: ({ orderId, petId, seq }: Movement): Problem =>
    missing("pet", petId, stored.pets.get(petId)) ??
    (orderId === undefined ? undefined : missing("order", orderId, stored.orders.get(orderId))) ??
    (seq === stored.movements.last(petId) + 1
      ? undefined
      : `The seq ${seq} does not follow the movements of pet ${petId}`)
})

/**
 * Rows that fail with an {@link InternalError} when a row must not be stored: the last defense behind the rules of the
 * domain, for synchronous engines that have no constraints of their own. Its cause says what is wrong.
 */
export const withConstraints = (rows: Rows, stored: StoredRows, suspend: Suspend = Effect.suspend): Rows => {
  const { account, movement, order, pet } = rowProblems(stored)
  const { apiKeys, deliveries, messages, movements, orders, parkedEvents, pets } = rows

  const unless = <A, E, R>(
    check: () => Problem,
    write: () => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | InternalError, R> =>
    suspend((): Effect.Effect<A, E | InternalError, R> => {
      try {
        const problem = check()
        return problem === undefined ? write() : Effect.fail(new InternalError({}, { cause: new Error(problem) }))
      } catch (cause) {
        return Effect.fail(new InternalError({}, { cause }))
      }
    })

  const savedStock = (row: PetRecord): Problem => {
    const before = stored.pets.get(row.id)
    const isSame = before !== undefined && statusOf(before.stock) === statusOf(row.stock)
    return violatedPetConstraint(row) ?? (isSame ? undefined : `The status of pet ${row.id} changes: save all of it`)
  }

  const appendMovement: Rows["movements"]["append"] = (row) =>
    unless(
      () => movement(row),
      () => movements.append(row)
    )

  return {
    ...rows,
    pets: {
      ...pets,
      insert: (row) =>
        unless(
          () => pet(row),
          () => pets.insert(row)
        ),
      insertAll: (added) =>
        unless(
          () => added.map(pet).find((problem) => problem !== undefined),
          () => pets.insertAll(added)
        ),
      save: (row) =>
        unless(
          () => pet(row),
          () => pets.save(row)
        ),
      saveStock: (row) =>
        unless(
          () => savedStock(row),
          () => pets.saveStock(row)
        )
    },
    orders: {
      ...orders,
      insert: (row) =>
        unless(
          () => order(row),
          () => orders.insert(row)
        ),
      save: (row) =>
        unless(
          () => order(row),
          () => orders.save(row)
        )
    },
    movements: {
      ...movements,
      append: appendMovement,
      // One by one, because each must follow the one before.
      appendAll: (added) => Effect.forEach(added, appendMovement, { discard: true })
    },
    messages: {
      ...messages,
      insert: (message) => {
        const check = () =>
          stateProblem(message) ??
          (stored.messages.get(message.id) === undefined ? undefined : `There is a message ${message.id} already`)
        return unless(check, () => messages.insert(message))
      },
      save: (message) =>
        unless(
          () => stateProblem(message),
          () => messages.save(message)
        )
    },
    parkedEvents: {
      ...parkedEvents,
      save: (event) =>
        unless(
          () => missing("consumer", event.consumer, stored.consumers.get(event.consumer)),
          () => parkedEvents.save(event)
        )
    },
    deliveries: {
      ...deliveries,
      insertAll: (added) =>
        unless(
          () =>
            added
              .map(({ webhookId }) => missing("webhook", webhookId, stored.webhooks.get(webhookId)))
              .find((problem) => problem !== undefined),
          () => deliveries.insertAll(added)
        )
    },
    apiKeys: {
      ...apiKeys,
      insert: (record) =>
        unless(
          () => account(record.key.accountId),
          () => apiKeys.insert(record)
        ),
      save: (record) =>
        unless(
          () => account(record.key.accountId),
          () => apiKeys.save(record)
        )
    }
  }
}
