import * as Effect from "effect/Effect"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import { statusOf } from "../domain/Stock.ts"
import type { OrderRecord } from "../ports/OrderRows.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import type { Rows } from "../ports/Rows.ts"
import { violatedOrderConstraint, violatedPetConstraint } from "./constraints.ts"

const demand = (broken: string | undefined): Effect.Effect<void, InternalError> =>
  broken === undefined ? Effect.void : Effect.fail(new InternalError({}, { cause: new Error(broken) }))

/**
 * Rows that refuse what must not be stored, as an {@link InternalError} that says why: the wall behind the rules of the
 * domain, for adapters whose engine has no constraints of its own. It reads by the rows' own operations.
 */
export const withConstraints = (rows: Rows): Rows => {
  const { accounts, apiKeys, categories, messages, movements, orders, pets } = rows

  const refer = <E, R>(what: string, id: number, found: Effect.Effect<number | undefined, E, R>) =>
    Effect.flatMap(found, (one) => demand(one === id ? undefined : `There is no ${what} ${id}`))

  // A scan finds tombstones too, which may be referred to.
  const toPet = (id: number) =>
    refer(
      "pet",
      id,
      Effect.map(pets.scan(id - 1, 1), ([pet]) => pet?.id)
    )
  const toOrder = (id: number) =>
    refer(
      "order",
      id,
      Effect.map(orders.scan(id - 1, 1), ([order]) => order?.id)
    )
  const toCategory = (id: number) =>
    refer(
      "category",
      id,
      Effect.map(categories.scan(id - 1, 1), ([record]) => record?.category.id)
    )
  const toAccount = (id: number) =>
    refer(
      "account",
      id,
      Effect.map(accounts.find(id), (account) => account?.id)
    )

  const pet = (row: Omit<PetRecord, "id">) =>
    Effect.andThen(demand(violatedPetConstraint(row)), toCategory(row.categoryId))
  const order = ({ order: content }: Omit<OrderRecord, "id">) =>
    Effect.andThen(
      demand(violatedOrderConstraint(content)),
      content.petId === undefined ? Effect.void : toPet(content.petId)
    )

  return {
    ...rows,
    pets: {
      ...pets,
      insert: (row) => Effect.andThen(pet(row), pets.insert(row)),
      save: (row) => Effect.andThen(pet(row), pets.save(row)),
      saveStock: (row) =>
        Effect.flatMap(pets.scan(row.id - 1, 1), ([before]) => {
          const stays = before?.id === row.id && statusOf(before.stock) === statusOf(row.stock)
          const broken =
            violatedPetConstraint(row) ?? (stays ? undefined : `The status of pet ${row.id} changes: save all of it`)
          return Effect.andThen(demand(broken), pets.saveStock(row))
        })
    },
    orders: {
      ...orders,
      insert: (row) => Effect.andThen(order(row), orders.insert(row)),
      save: (row) => Effect.andThen(order(row), orders.save(row))
    },
    movements: {
      ...movements,
      append: (movement) =>
        Effect.gen(function* () {
          const { orderId, petId, seq } = movement
          yield* toPet(petId)
          if (orderId !== undefined) yield* toOrder(orderId)
          const around = yield* movements.list(petId, seq - 2, 2)
          const next = around.length === (seq === 1 ? 0 : 1) && (around[0]?.seq ?? 0) === seq - 1
          yield* demand(next ? undefined : `The seq ${seq} does not follow the movements of pet ${petId}`)
          yield* movements.append(movement)
        })
    },
    messages: {
      ...messages,
      insert: (message) =>
        Effect.flatMap(messages.find(message.id), (found) =>
          Effect.andThen(
            demand(found === undefined ? undefined : `There is a message ${message.id} already`),
            messages.insert(message)
          )
        )
    },
    apiKeys: {
      ...apiKeys,
      insert: (record) => Effect.andThen(toAccount(record.key.accountId), apiKeys.insert(record)),
      save: (record) => Effect.andThen(toAccount(record.key.accountId), apiKeys.save(record))
    }
  }
}
