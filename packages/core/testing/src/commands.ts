import { type Arbitrary, array, Constant, map, schema } from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { adjustmentReason, petStatus } from "./arbitraries.ts"
import { int, oneOf, struct } from "./combine.ts"
import type { Command } from "./model.ts"

const few = int(1, 4)
const early = int(1, 6)
const units = int(1, 4)
const orderFields = { petId: few, quantity: units, complete: schema(Schema.Boolean) }

/**
 * Any command of the {@link Model}, on few pets and orders, so that commands affect each other.
 *
 * @example
 * ```ts
 * import { command, Model } from "@petstore/testing"
 * import { Effect } from "effect"
 * import { sampleEffect } from "effect/Arbitrary"
 *
 * const model = new Model()
 * for (const each of await Effect.runPromise(sampleEffect(command, { count: 3 }))) model.run(each)
 * ```
 */
export const command: Arbitrary<Command> = oneOf<Command>(
  struct({ type: Constant("placeOrder" as const), petId: few }, { quantity: units }),
  struct({ type: Constant("placeOrder" as const) }, orderFields),
  struct({
    type: Constant("placeOrders" as const),
    orders: array(struct({}, orderFields), { minLength: 1, maxLength: 4 })
  }),
  struct({ type: Constant("updateOrder" as const), orderId: early }, orderFields),
  struct(
    { type: Constant("updateOrder" as const), orderId: early, complete: Constant(true) },
    { petId: few, quantity: units }
  ),
  struct({ type: Constant("cancelOrder" as const), orderId: early }),
  oneOf<Command>(
    struct({ type: Constant("setStock" as const), petId: few, quantity: int(0, 6) }),
    struct({ type: Constant("adjustStock" as const), petId: few, delta: int(-3, 4), reason: adjustmentReason })
  ),
  struct({ type: Constant("updatePet" as const), petId: few, status: petStatus }),
  struct({ type: Constant("updatePet" as const), petId: few }, { status: petStatus, categoryId: few }),
  oneOf<Command>(
    struct({ type: Constant("createPet" as const), categoryId: few }, { status: petStatus }),
    struct({ type: Constant("deletePet" as const), petId: few }),
    struct({ type: Constant("createCategory" as const), name: schema(Schema.Literals(["Dogs", "DOGS", "Cats"])) }),
    struct({ type: Constant("deleteCategory" as const), categoryId: few })
  )
)

const opening: ReadonlyArray<Command> = [
  { type: "createCategory", name: "Dogs" },
  { type: "createCategory", name: "Birds" },
  ...[1, 2, 3].map((petId): Command => ({ type: "createPet", categoryId: 1 + (petId % 2) })),
  ...[1, 2].map((petId): Command => ({ type: "setStock", petId, quantity: 5 }))
]

/**
 * A sequence of commands: the same few categories and pets first, then up to `maxLength` random commands.
 *
 * @example
 * ```ts
 * import { assertMatchesModel, history, testPetstore } from "@petstore/testing"
 * import { Effect } from "effect"
 * import { sampleEffect } from "effect/Arbitrary"
 *
 * const [opening = []] = await Effect.runPromise(sampleEffect(history(0), { count: 1 }))
 * await using petstore = await testPetstore()
 * await assertMatchesModel(petstore, opening)
 * ```
 */
export const history = (maxLength: number): Arbitrary<ReadonlyArray<Command>> =>
  map(array(command, { maxLength }), (commands) => [...opening, ...commands])
