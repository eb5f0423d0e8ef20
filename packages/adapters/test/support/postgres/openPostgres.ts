import { createPetstore, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type PostgresOptions, postgres } from "../../../src/postgres/index.ts"

/** A petstore as an application opens it. It is closed with the scope. */
export const openPostgres = (options: string | PostgresOptions): Effect.Effect<Petstore, unknown, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => createPetstore({ storage: postgres(options) }), catch: (error) => error }),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** A pet with stock, to be sold. */
export const petToSell = async (petstore: Petstore, onHand = 1000): Promise<number> => {
  const category = await petstore.categories.create({ name: `Rabbits ${crypto.randomUUID()}` })
  const pet = await petstore.pets.create({ name: "Flopsy", categoryId: category.id })
  await petstore.inventory.set(pet.id, onHand)
  return pet.id
}
