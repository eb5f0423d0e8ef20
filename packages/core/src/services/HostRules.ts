import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Category } from "../domain/Category.ts"
import type { OrderContent, OrderDecision } from "../domain/Order.ts"
import type { NewPet } from "../domain/Pet.ts"
import type { CallRules, RuleBook } from "../domain/rules/RuleBook.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import type { AffectedPet, Proposal } from "../domain/rules/Rules.ts"
import { type PetStatus, type Stock, statusOf } from "../domain/Stock.ts"
import type { PetRecord } from "../ports/PetRows.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Transaction } from "../ports/Transaction.ts"
import { Principal } from "./Principal.ts"

type Called = Effect.Effect<void, RuleRefusal | StorageError, Transaction>

/** An order as it is stored, without its version. */
interface KnownOrder {
  readonly id: number
  readonly order: OrderContent
}

/**
 * Calls the rules of the host application, in the transaction that they may reject: once for each run of its body. Undefined
 * if there are none of a kind, so that nothing is loaded for it. `pet` is that of the order as it will be, locked; undefined for a draft.
 */
export class HostRules extends Context.Service<
  HostRules,
  {
    readonly newPet: ((at: string, pet: NewPet, category: Category) => Called) | undefined
    /** `pet` is the pet with the name and category it is about to get, `category` that category if it is locked already. */
    readonly petStatus:
      | ((at: string, pet: PetRecord, stockAfter: Stock, to: PetStatus, category?: Category) => Called)
      | undefined
    readonly order:
      | ((at: string, decision: OrderDecision, pet: PetRecord | undefined, before?: KnownOrder) => Called)
      | undefined
    readonly cancellation:
      | ((at: string, decision: OrderDecision, pet: PetRecord | undefined, before: KnownOrder) => Called)
      | undefined
  }
>()("@petstore/core/services/HostRules") {
  static readonly layer = ({ cancellation, newPet, order, petStatus }: RuleBook) =>
    Layer.effect(
      HostRules,
      Effect.map(Storage, ({ categories }): HostRules["Service"] => {
        const call = <Seen extends Proposal>(rules: CallRules<Seen>, at: string, seen: (by: Proposal) => Seen) =>
          Effect.flatMap(Principal, ({ actor }) => Effect.fromResult(rules(seen({ actor, at }))))

        const categoryOf = ({ categoryId, id }: PetRecord) =>
          Effect.flatMap(categories.lockShared(categoryId), (record) =>
            record === undefined ? Effect.die(new Error(`Pet ${id} has no category`)) : Effect.succeed(record.category)
          )

        // Rules get copies, because what they receive is frozen.
        const affected = (
          pet: PetRecord,
          stockAfter: Stock,
          known?: Category
        ): Effect.Effect<AffectedPet, StorageError, Transaction> =>
          Effect.map(known === undefined ? categoryOf(pet) : Effect.succeed(known), (category) => ({
            id: pet.id,
            name: pet.name,
            category: { ...category },
            stock: { ...pet.stock },
            stockAfter: { ...stockAfter }
          }))

        const ofOrder = (pet: PetRecord | undefined, { stocks }: OrderDecision) =>
          pet === undefined
            ? Effect.succeed({})
            : Effect.map(
                affected(pet, stocks.find(({ petId }) => petId === pet.id)?.change.stock ?? pet.stock),
                (seen) => ({ pet: seen })
              )

        return {
          newPet:
            newPet &&
            ((at, { name, status = "available" }, category) =>
              call(newPet, at, (by) => ({ ...by, pet: { name, status, category: { ...category } } }))),

          petStatus:
            petStatus &&
            ((at, pet, stockAfter, to, category) =>
              Effect.flatMap(affected(pet, stockAfter, category), (seen) =>
                call(petStatus, at, (by) => ({ ...by, pet: seen, from: statusOf(pet.stock), to }))
              )),

          order:
            order &&
            ((at, decision, pet, before) =>
              Effect.flatMap(ofOrder(pet, decision), (seen) =>
                call(order, at, (by) => ({
                  ...by,
                  ...seen,
                  ...(before === undefined ? {} : { orderId: before.id, before: { ...before.order } }),
                  order: { ...decision.order },
                  facts: [...decision.facts]
                }))
              )),

          cancellation:
            cancellation &&
            ((at, decision, pet, { id, order: content }) =>
              Effect.flatMap(ofOrder(pet, decision), (seen) =>
                call(cancellation, at, (by) => ({ ...by, ...seen, orderId: id, order: { ...content } }))
              ))
        }
      })
    )
}
