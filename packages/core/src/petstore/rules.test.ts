import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { withLockChecks } from "../../../../laboratory/locks/withLockChecks.ts"
import { withRows } from "../../test/support/withRows.ts"
import { untyped } from "../../testing/src/untyped.ts"
import { Principal } from "../domain/access/Principal.ts"
import { InternalError } from "../domain/errors/ServiceErrors.ts"
import {
  type ProposedCancellation,
  type ProposedOrder,
  type ProposedPet,
  type ProposedStatus,
  type Rules,
  refusal
} from "../domain/rules/index.ts"
import { memory } from "../memory/MemoryStorage.ts"
import type { StorageAdapter } from "../ports/Storage.ts"
import { categories } from "../tables/index.ts"
import { createPetstore } from "./createPetstore.ts"
import { Petstore as EffectPetstore } from "./EffectPetstore.ts"
import type { Petstore } from "./Petstore.ts"

class NoReptilesByMail extends refusal(
  "no_reptiles_by_mail",
  ({ petId }: { readonly petId: number }) => `Pet ${petId} is a reptile. Collect it in the shop.`
) {}
class TooMany extends refusal("too_many", ({ limit }: { readonly limit: number }) => `Order at most ${limit}.`) {}
class NotNow extends refusal("not_now", () => "Come back later.") {}

interface Shop {
  readonly petstore: Petstore
  readonly dogs: number
  readonly rex: number
  readonly reptiles: number
  readonly nessie: number
}

/** A shop that was set up without the rules, and then opened with them. */
const shop = async (rules: Rules, use: (shop: Shop) => Promise<void>): Promise<void> => {
  const storage = withLockChecks(memory())
  await using setup = await createPetstore({ storage })
  const dogs = (await setup.categories.create({ name: "Dogs", description: "They bark." })).id
  const reptiles = (await setup.categories.create({ name: "Reptiles" })).id
  const rex = (await setup.pets.create({ name: "Rex", categoryId: dogs })).id
  const nessie = (await setup.pets.create({ name: "Nessie", categoryId: reptiles })).id
  await setup.inventory.set(rex, 5)
  await setup.inventory.set(nessie, 5)
  await using petstore = await createPetstore({ storage, rules })
  await use({ petstore, dogs, reptiles, rex, nessie })
  assert.isTrue((await petstore.verify()).ok)
}

const rejection = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail("Expected a rejection"),
    (error: unknown) => error
  )

const codeOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await rejection(call)
  return error instanceof Error && "code" in error ? error.code : error
}

/** A rule that allows everything and keeps what it sees, without the time. */
const witness = <Seen extends { readonly at: string }>() => {
  const seen: Array<Omit<Seen, "at">> = []
  const rule = ({ at, ...proposal }: Seen): undefined => {
    assert.isFalse(Number.isNaN(Date.parse(at)))
    seen.push(proposal)
  }
  return { rule, take: () => seen.splice(0) }
}

const stock = (onHand: number, reserved: number, held = false) => ({ onHand, reserved, held })

describe("given a rule about orders", () => {
  const order: Rules["order"] = ({ pet }) =>
    pet?.category.name === "Reptiles" ? new NoReptilesByMail({ petId: pet.id }) : undefined

  it("when it rejects, then the error of the rule itself is thrown, and nothing has changed", () =>
    shop({ order }, async ({ nessie, petstore }) => {
      const error = await rejection(petstore.orders.place({ petId: nessie }))
      if (!(error instanceof NoReptilesByMail)) return assert.fail(String(error))
      assert.strictEqual(error.details.petId, nessie)
      assert.strictEqual((await petstore.inventory.get(nessie)).reserved, 0)
      assert.deepStrictEqual((await petstore.orders.list()).items, [])
    }))

  it("when it allows, then the order is placed", () =>
    shop({ order }, async ({ petstore, rex }) => {
      assert.strictEqual((await petstore.orders.place({ petId: rex, quantity: 2 })).quantity, 2)
    }))

  it("when a draft gets a pet or an order moves to a pet that the rule rejects, then the order is unchanged", () =>
    shop({ order }, async ({ nessie, petstore, rex }) => {
      const draft = await petstore.orders.place({ quantity: 2 })
      assert.strictEqual(await codeOf(petstore.orders.update(draft.id, { petId: nessie })), "no_reptiles_by_mail")
      const ship = petstore.orders.update(draft.id, { petId: nessie, complete: true })
      assert.strictEqual(await codeOf(ship), "no_reptiles_by_mail")
      assert.deepStrictEqual(await petstore.orders.get(draft.id), draft)
      const open = await petstore.orders.update(draft.id, { petId: rex })
      assert.strictEqual(await codeOf(petstore.orders.update(open.id, { petId: nessie })), "no_reptiles_by_mail")
      assert.deepStrictEqual(await petstore.orders.get(open.id), open)
      assert.strictEqual((await petstore.inventory.get(rex)).reserved, 2)
    }))

  it("when the petstore itself rejects, then the rule is not called", () => {
    const { rule, take } = witness<ProposedOrder>()
    return shop({ order: rule }, async ({ petstore, rex }) => {
      assert.strictEqual(await codeOf(petstore.orders.place({ petId: rex, quantity: 6 })), "insufficient_stock")
      assert.strictEqual(await codeOf(petstore.orders.place({ petId: 99 })), "unknown_pet")
      assert.strictEqual(await codeOf(petstore.orders.update(99, { petId: rex })), "not_found")
      assert.deepStrictEqual(take(), [])
    })
  })

  it("when it throws, then the error names it, has its cause, and nothing has happened", () => {
    const thrown = new Error("Oops")
    const failing = () => {
      throw thrown
    }
    return shop({ order: [() => undefined, failing] }, async ({ petstore, rex }) => {
      const error = await rejection(petstore.orders.place({ petId: rex }))
      if (!(error instanceof InternalError)) return assert.fail(String(error))
      assert.strictEqual(error.message, "The rule failing (rules.order[1]) threw an error. Nothing was changed.")
      assert.strictEqual(error.cause, thrown)
      assert.deepStrictEqual((await petstore.orders.list()).items, [])
    })
  })

  it("when it is asynchronous, then the error says so, and nothing has happened", () =>
    shop({ order: untyped(async () => undefined) }, async ({ petstore, rex }) => {
      const error = await rejection(petstore.orders.place({ petId: rex }))
      assert.match(String(error), /The rule rules\.order returned a promise/)
      assert.deepStrictEqual((await petstore.orders.list()).items, [])
    }))

  it("when it writes into the proposal, then that fails, and its decision counts", () => {
    const parts = ({ order, facts, pet }: ProposedOrder) => [
      order,
      facts,
      pet,
      pet?.category,
      pet?.stock,
      pet?.stockAfter
    ]
    const greedy = (proposal: ProposedOrder): undefined => {
      for (const part of parts(proposal)) assert.throws(() => Object.assign(part ?? {}, { 0: "mine" }), TypeError)
    }
    return shop({ order: greedy }, async ({ petstore, rex }) => {
      const { id } = await petstore.orders.place({ petId: rex, quantity: 2 })
      assert.strictEqual((await petstore.orders.update(id, { quantity: 3 })).quantity, 3)
      assert.strictEqual((await petstore.inventory.get(rex)).reserved, 3)
    })
  })
})

describe("given a rule that is called for each step of an order", () => {
  it("then it sees the order before and after, what happens, and the pet with its category and stock", () => {
    const { rule, take } = witness<ProposedOrder>()
    return shop({ order: rule }, async ({ dogs, petstore, reptiles, rex, nessie }) => {
      const category = { id: dogs, name: "Dogs", description: "They bark." }
      const draft = await petstore.orders.place({ quantity: 2 })
      assert.deepStrictEqual(take(), [{ actor: "owner", order: { state: "draft", quantity: 2 }, facts: ["placed"] }])

      await petstore.orders.update(draft.id, { petId: rex })
      const open = { state: "open", petId: rex, quantity: 2 } as const
      assert.deepStrictEqual(take(), [
        {
          actor: "owner",
          orderId: draft.id,
          before: { state: "draft", quantity: 2 },
          order: open,
          facts: ["updated"],
          pet: { id: rex, name: "Rex", category, stock: stock(5, 0), stockAfter: stock(5, 2) }
        }
      ])

      const moved = { state: "open", petId: nessie, quantity: 3 } as const
      await petstore.orders.update(draft.id, { petId: nessie, quantity: 3 })
      assert.deepStrictEqual(take(), [
        {
          actor: "owner",
          orderId: draft.id,
          before: open,
          order: moved,
          facts: ["updated"],
          pet: {
            id: nessie,
            name: "Nessie",
            category: { id: reptiles, name: "Reptiles" },
            stock: stock(5, 0),
            stockAfter: stock(5, 3)
          }
        }
      ])

      await petstore.orders.update(draft.id, { petId: nessie, quantity: 3, complete: false })
      assert.deepStrictEqual(take(), [])

      const shipDate = "2030-01-01T00:00:00.000Z"
      await petstore.orders.update(draft.id, { shipDate, complete: true })
      assert.deepStrictEqual(take(), [
        {
          actor: "owner",
          orderId: draft.id,
          before: moved,
          order: { ...moved, state: "complete", shipDate },
          facts: ["updated", "completed"],
          pet: {
            id: nessie,
            name: "Nessie",
            category: { id: reptiles, name: "Reptiles" },
            stock: stock(5, 3),
            stockAfter: stock(2, 0)
          }
        }
      ])
      await petstore.orders.complete(draft.id)
      assert.deepStrictEqual(take(), [])
    })
  })

  it("when an order is placed complete, then it is called once, for both", () => {
    const { rule, take } = witness<ProposedOrder>()
    return shop({ order: rule }, async ({ petstore, rex }) => {
      await petstore.orders.place({ petId: rex, complete: true, shipDate: "2030-01-01T00:00:00.000Z" })
      const [seen, ...others] = take()
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(seen?.facts, ["placed", "completed"])
      assert.strictEqual(seen?.order.state, "complete")
      assert.isUndefined(seen?.before)
      assert.deepStrictEqual(seen?.pet?.stockAfter, stock(4, 0))
    })
  })

  it("when a draft opens and ships at once, then it is called once, for both", () => {
    const { rule, take } = witness<ProposedOrder>()
    return shop({ order: rule }, async ({ petstore, rex }) => {
      const { id } = await petstore.orders.place({})
      take()
      await petstore.orders.update(id, { petId: rex, complete: true })
      const [seen, ...others] = take()
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(seen?.facts, ["updated", "completed"])
      assert.deepStrictEqual(seen?.before, { state: "draft" })
      assert.deepStrictEqual([seen?.pet?.stock, seen?.pet?.stockAfter], [stock(5, 0), stock(4, 0)])
    })
  })

  it("when an order is cancelled, then it is the business of the rule about cancellations alone", () => {
    const orders = witness<ProposedOrder>()
    const cancellations = witness<ProposedCancellation>()
    return shop({ order: orders.rule, cancellation: cancellations.rule }, async ({ dogs, petstore, rex }) => {
      const open = await petstore.orders.place({ petId: rex, quantity: 2 })
      const draft = await petstore.orders.place({})
      orders.take()
      await petstore.orders.cancel(open.id)
      await petstore.orders.cancel(draft.id)
      assert.deepStrictEqual(orders.take(), [])
      assert.deepStrictEqual(cancellations.take(), [
        {
          actor: "owner",
          orderId: open.id,
          order: { state: "open", petId: rex, quantity: 2 },
          pet: {
            id: rex,
            name: "Rex",
            category: { id: dogs, name: "Dogs", description: "They bark." },
            stock: stock(5, 2),
            stockAfter: stock(5, 0)
          }
        },
        { actor: "owner", orderId: draft.id, order: { state: "draft" } }
      ])
    })
  })
})

describe("given a rule about cancellations", () => {
  it("when it rejects, then the order stays open", () =>
    shop({ cancellation: ({ order }) => (order.state === "open" ? new NotNow({}) : undefined) }, async (given) => {
      const { orders, inventory } = given.petstore
      const open = await orders.place({ petId: given.rex, quantity: 2 })
      const draft = await orders.place({})
      assert.instanceOf(await rejection(orders.cancel(open.id)), NotNow)
      assert.deepStrictEqual(await orders.get(open.id), open)
      assert.strictEqual((await inventory.get(given.rex)).reserved, 2)
      await orders.cancel(draft.id)
    }))
})

describe("given a rule about new pets", () => {
  it("then it sees the pet with its status and category", () => {
    const { rule, take } = witness<ProposedPet>()
    return shop({ newPet: rule }, async ({ petstore, reptiles }) => {
      await petstore.pets.create({ name: " Iggy ", categoryId: reptiles })
      await petstore.pets.create({ name: "Ziggy", categoryId: reptiles, status: "sold" })
      const category = { id: reptiles, name: "Reptiles" }
      assert.deepStrictEqual(take(), [
        { actor: "owner", pet: { name: "Iggy", status: "available", category } },
        { actor: "owner", pet: { name: "Ziggy", status: "sold", category } }
      ])
      assert.strictEqual(await codeOf(petstore.pets.create({ name: "Rex", categoryId: 99 })), "unknown_category")
      assert.deepStrictEqual(take(), [])
    })
  })

  it("when it rejects, then no pet is created", () =>
    shop({ newPet: ({ pet }) => (pet.category.name === "Reptiles" ? new NotNow({}) : undefined) }, async (given) => {
      const { pets } = given.petstore
      assert.instanceOf(await rejection(pets.create({ name: "Iggy", categoryId: given.reptiles })), NotNow)
      assert.strictEqual((await pets.list()).items.length, 2)
      await pets.create({ name: "Max", categoryId: given.dogs })
    }))
})

describe("given a rule about the status of pets", () => {
  it("then it is called if the stock changes, with the name and category of the same update", () => {
    const { rule, take } = witness<ProposedStatus>()
    return shop({ petStatus: rule }, async ({ petstore, reptiles, rex }) => {
      await petstore.pets.update(rex, { name: "Max" })
      await petstore.pets.update(rex, { status: "available" })
      assert.deepStrictEqual(take(), [])
      await petstore.pets.update(rex, { name: "Rexy", categoryId: reptiles, status: "pending" })
      assert.deepStrictEqual(take(), [
        {
          actor: "owner",
          from: "available",
          to: "pending",
          pet: {
            id: rex,
            name: "Rexy",
            category: { id: reptiles, name: "Reptiles" },
            stock: stock(5, 0),
            stockAfter: stock(5, 0, true)
          }
        }
      ])
    })
  })

  it("when it rejects, then the pet is unchanged, and so is its name", () =>
    shop({ petStatus: ({ to }) => (to === "sold" ? new NotNow({}) : undefined) }, async ({ petstore, rex }) => {
      const before = await petstore.pets.get(rex)
      assert.instanceOf(await rejection(petstore.pets.update(rex, { name: "Max", status: "sold" })), NotNow)
      assert.deepStrictEqual(await petstore.pets.get(rex), before)
      assert.strictEqual((await petstore.pets.update(rex, { status: "pending" })).status, "pending")
    }))
})

describe("given an idempotency key", () => {
  it("when a rule rejects, then the idempotency key is free, and the same call may succeed later", () => {
    let closed = true
    const order = () => (closed ? new NotNow({}) : undefined)
    return shop({ order }, async ({ petstore, rex }) => {
      const place = () => petstore.orders.place({ petId: rex }, { idempotencyKey: "once" })
      assert.instanceOf(await rejection(place()), NotNow)
      closed = false
      const placed = await place()
      closed = true
      assert.deepStrictEqual(await place(), placed)
      assert.strictEqual((await petstore.inventory.get(rex)).reserved, 1)
    })
  })
})

describe("given a version that is not the present one", () => {
  it("when an order is changed, then that comes first", () =>
    shop({ order: ({ before }) => (before === undefined ? undefined : new NotNow({})) }, async ({ petstore, rex }) => {
      const { id, version } = await petstore.orders.place({ petId: rex })
      const change = (ifVersion: number) => codeOf(petstore.orders.update(id, { quantity: 2 }, { ifVersion }))
      assert.strictEqual(await change(version + 1), "precondition_failed")
      assert.strictEqual(await change(version), "not_now")
    }))
})

describe("given a limit per order that many callers try at once", () => {
  it("then those within it succeed, and the others are rejected", () => {
    const order: Rules["order"] = ({ order: { quantity = 1 } }) =>
      quantity > 2 ? new TooMany({ limit: 2 }) : undefined
    return shop({ order }, async ({ petstore, rex }) => {
      const calls = [1, 3, 1, 3, 2].map((quantity) => petstore.orders.place({ petId: rex, quantity }))
      const outcomes = await Promise.all(
        calls.map((call) =>
          call.then(
            () => "placed",
            () => codeOf(call)
          )
        )
      )
      assert.deepStrictEqual(outcomes, ["placed", "too_many", "placed", "too_many", "placed"])
      assert.strictEqual((await petstore.inventory.get(rex)).reserved, 4)
    })
  })
})

describe("given the Effect API", () => {
  const rules: Rules = {
    order: ({ actor, pet }) => (actor !== "clerk" && pet !== undefined ? new NotNow({}) : undefined)
  }

  const withPet = <A, E>(use: (petstore: EffectPetstore["Service"], petId: number) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const petstore = yield* EffectPetstore
      const { id: categoryId } = yield* petstore.categories.create({ name: "Dogs" })
      return yield* use(petstore, (yield* petstore.pets.create({ name: "Rex", categoryId })).id)
    }).pipe(Effect.provide(EffectPetstore.layer(memory(), { rules })))

  it.effect("when a rule rejects, then its error is one of the typed errors", () =>
    withPet(({ orders }, petId) =>
      Effect.gen(function* () {
        const message = yield* orders.place({ petId }).pipe(
          Effect.map(() => "placed"),
          Effect.catchTags({
            RuleRefusal: ({ code }) => Effect.succeed(code),
            InsufficientStock: ({ details }) => Effect.succeed(`${details.available} left`)
          })
        )
        assert.strictEqual(message, "not_now")
      })
    )
  )

  it.effect("when one call in a transaction is rejected and the body continues, then the other calls take effect", () =>
    withPet(({ categories, orders, transaction }, petId) =>
      Effect.gen(function* () {
        yield* transaction((tx) =>
          Effect.gen(function* () {
            yield* tx.categories.create({ name: "Cats" })
            assert.instanceOf(yield* Effect.flip(tx.orders.place({ petId })), NotNow)
            yield* tx.orders.place({})
          })
        )
        assert.strictEqual((yield* categories.list()).items.length, 2)
        assert.deepStrictEqual((yield* orders.list()).items, [{ id: 1, complete: false }])

        const refused = transaction((tx) =>
          Effect.andThen(tx.categories.create({ name: "Birds" }), tx.orders.place({ petId }))
        )
        assert.instanceOf(yield* Effect.flip(refused), NotNow)
        assert.strictEqual((yield* categories.list()).items.length, 2)
      })
    )
  )

  it.effect("then a rule receives the principal of the call", () =>
    withPet(({ orders }, petId) =>
      Effect.gen(function* () {
        const placed = orders.place({ petId })
        yield* Effect.provideService(placed, Principal, { accountId: 7, actor: "clerk" })
        assert.strictEqual((yield* orders.list()).items.length, 1)
      })
    )
  )

  it("when the option is not a set of rules, then an error is thrown at once", () => {
    assert.throws(() => EffectPetstore.layer(memory(), untyped({ rules: { orders: () => undefined } })), TypeError)
  })
})

describe("given no rules", () => {
  /** A store in memory that counts the categories which are read. */
  const counting = (): { readonly storage: StorageAdapter; readonly reads: () => number } => {
    let reads = 0
    const storage = withRows(memory(), ({ run }) => ({
      run: (begin, command) =>
        run((tx, context) => {
          const lockShared = tx.lockShared.bind(tx)
          tx.lockShared = (table, key) => {
            if (table.name === categories.name) reads++
            return lockShared(table, key)
          }
          return begin(tx, context)
        }, command)
    }))
    return { storage, reads: () => reads }
  }

  const categoriesRead = async (rules: Rules): Promise<number> => {
    const { reads, storage } = counting()
    await using petstore = await createPetstore({ storage, rules })
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const { id: petId } = await petstore.pets.create({ name: "Rex", categoryId })
    const before = reads()
    const { id } = await petstore.orders.place({ petId })
    await petstore.orders.complete(id)
    await petstore.orders.cancel((await petstore.orders.place({})).id)
    return reads() - before
  }

  it("then no category is loaded for an order, and with one it is", async () => {
    assert.strictEqual(await categoriesRead({}), 0)
    assert.strictEqual(await categoriesRead({ newPet: () => undefined, petStatus: () => undefined }), 0)
    assert.strictEqual(await categoriesRead({ order: () => undefined }), 2)
  })
})
