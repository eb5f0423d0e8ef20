import type { CreateOptions, InventoryAdjustment, PetstoreApi } from "@petstore/core"
import { type ErrorCode, limits, type methodInputs } from "@petstore/core/domain"
import { assertEqual, ContractViolation } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { category, heldPetOf, orderOf, petOf } from "./given.ts"
import { endOf, rejectsWith } from "./rejections.ts"

type Inputs = typeof methodInputs

/** The methods that take an idempotency key. */
type RepeatableMethod = {
  [Group in keyof Inputs]: {
    [Name in keyof Inputs[Group] & string]: Inputs[Group][Name] extends {
      readonly options: { readonly idempotencyKey: true }
    }
      ? `${Group}.${Name}`
      : never
  }[keyof Inputs[Group] & string]
}[keyof Inputs]

/** A call that succeeds now, and what happens then so that the same call is rejected. */
type Retried = readonly [call: (options: CreateOptions) => Promise<unknown>, later?: () => Promise<unknown>]

type Given = (petstore: PetstoreApi) => Promise<Retried>

/** For each code, a change after which a repetition of the successful call is rejected with it. */
type Rejections = { readonly [Code in ErrorCode]?: Given }

let names = 0
const newName = (): string => `Name ${++names}`

/** A retry about a pet with these units, in a category of its own. */
const ofPet =
  (onHand: number, retried: (petstore: PetstoreApi, petId: number) => Retried | Promise<Retried>): Given =>
  async (petstore) =>
    retried(petstore, await petOf(petstore, onHand))

/** A retry about an order of one of nine units of a pet. */
const ofOrder = (retried: (petstore: PetstoreApi, orderId: number, petId: number) => Retried): Given =>
  ofPet(9, async (petstore, petId) => retried(petstore, await orderOf(petstore, petId), petId))

const ofCategory =
  (retried: (petstore: PetstoreApi, categoryId: number) => Retried): Given =>
  async (petstore) =>
    retried(petstore, await category(petstore))

/** Cases of a creation of pets, whose category goes away. */
const creating = (
  create: (petstore: PetstoreApi, categoryId: number, options: CreateOptions) => Promise<unknown>
): Rejections => ({
  unknown_category: ofCategory((petstore, categoryId) => [
    (options) => create(petstore, categoryId, options),
    async () => {
      for await (const { id } of petstore.pets.all({ categoryId })) await petstore.pets.delete(id)
      await petstore.categories.delete(categoryId)
    }
  ])
})

type Place = (petstore: PetstoreApi, petId: number, options: CreateOptions) => Promise<unknown>

/** Cases of a new order of one unit of a pet. */
const placing = (place: Place): Rejections => ({
  unknown_pet: ofPet(1, (petstore, petId) => [
    (options) => place(petstore, petId, options),
    async () => {
      for await (const { complete, id } of petstore.orders.all({ petId }))
        if (!complete) await petstore.orders.cancel(id)
      await petstore.pets.delete(petId)
    }
  ]),
  pet_not_available: ofPet(9, (petstore, petId) => [
    (options) => place(petstore, petId, options),
    () => petstore.pets.update(petId, { status: "pending" })
  ]),
  insufficient_stock: ofPet(9, (petstore, petId) => [
    (options) => place(petstore, petId, options),
    () => petstore.orders.place({ petId, quantity: 8 })
  ])
})

/** A retry of a move of an order to another pet, to which something happens when the order has moved back. */
const moving = (later: (petstore: PetstoreApi, petId: number) => Promise<unknown>): Given =>
  ofOrder((petstore, orderId, before) => {
    let petId = 0
    return [
      async (options) => {
        petId ||= await petOf(petstore, 9)
        return petstore.orders.update(orderId, { petId }, options)
      },
      async () => {
        await petstore.orders.update(orderId, { petId: before })
        await later(petstore, petId)
      }
    ]
  })

/** Cases of an order that was open when the key was used, and is cancelled or completed before the retry. */
const ofEndedOrder = (
  change: (petstore: PetstoreApi, orderId: number, options: CreateOptions) => Promise<unknown>
): Rejections => ({
  not_found: ofOrder((petstore, orderId) => [
    (options) => change(petstore, orderId, options),
    () => petstore.orders.cancel(orderId)
  ]),
  order_already_complete: ofOrder((petstore, orderId) => [
    (options) => change(petstore, orderId, options),
    async () => {
      await petstore.orders.update(orderId, { quantity: 5 })
      await petstore.orders.complete(orderId)
    }
  ])
})

type Count = (
  petstore: PetstoreApi,
  petId: number,
  quantity: number,
  options: CreateOptions & { readonly ifVersion?: number }
) => Promise<unknown>

const counting = (set: Count): Rejections => ({
  not_found: ofPet(9, (petstore, petId) => [
    (options) => set(petstore, petId, 2, options),
    () => petstore.pets.delete(petId)
  ]),
  precondition_failed: ofPet(9, async (petstore, petId) => {
    const { version } = await petstore.inventory.get(petId)
    return [(options) => set(petstore, petId, 2, { ...options, ifVersion: version })]
  }),
  quantity_below_reserved: ofPet(9, (petstore, petId) => [
    (options) => set(petstore, petId, 2, options),
    async () => {
      await petstore.inventory.set(petId, 9)
      await petstore.orders.place({ petId, quantity: 3 })
    }
  ])
})

type Adjust = (
  petstore: PetstoreApi,
  petId: number,
  adjustment: InventoryAdjustment,
  options: CreateOptions
) => Promise<unknown>

const adjusting = (adjust: Adjust): Rejections => ({
  not_found: ofPet(9, (petstore, petId) => [
    (options) => adjust(petstore, petId, { delta: 1, reason: "received" }, options),
    () => petstore.pets.delete(petId)
  ]),
  quantity_below_reserved: ofPet(4, (petstore, petId) => [
    (options) => adjust(petstore, petId, { delta: -2, reason: "damaged" }, options),
    () => petstore.orders.place({ petId })
  ]),
  stock_limit_exceeded: ofPet(limits.stock - 1, (petstore, petId) => [
    (options) => adjust(petstore, petId, { delta: 1, reason: "received" }, options)
  ])
})

/** Cases of what can be done once, to what was made just now. */
const once = (
  make: (petstore: PetstoreApi) => Promise<{ readonly id: number | string }>,
  end: (petstore: PetstoreApi, id: never, options: CreateOptions) => Promise<unknown>
): Rejections => ({
  not_found: async (petstore) => {
    const { id } = await make(petstore)
    return [(options) => end(petstore, untyped(id), options)]
  }
})

const ofNames = {
  "accounts.create": {
    account_name_taken: async ({ accounts }) => {
      const name = newName()
      return [(options) => accounts.create({ name }, options)]
    }
  },
  "categories.create": {
    category_name_taken: async ({ categories }) => {
      const name = newName()
      return [(options) => categories.create({ name }, options)]
    }
  },
  "categories.delete": {
    not_found: ofCategory(({ categories }, id) => [(options) => categories.delete(id, { ...options, ifVersion: 1 })])
  },
  "categories.update": {
    not_found: ofCategory(({ categories }, id) => [
      (options) => categories.update(id, { description: "Bark" }, options),
      () => categories.delete(id)
    ]),
    precondition_failed: ofCategory(({ categories }, id) => [
      (options) => categories.update(id, { description: "Bark" }, { ...options, ifVersion: 1 })
    ]),
    category_name_taken: ofCategory(({ categories }, id) => {
      const name = newName()
      return [
        (options) => categories.update(id, { name }, options),
        async () => {
          await categories.update(id, { name: newName() })
          await categories.create({ name })
        }
      ]
    })
  },
  "records.update": {
    not_found: ofPet(1, ({ pets, records }, id) => [
      (options) => records.update("pets", id, { metadata: { zone: "7" } }, options),
      () => pets.delete(id)
    ]),
    precondition_failed: ofPet(1, async ({ records }, id) => {
      const { version: ifVersion } = await records.get("pets", id)
      return [(options) => records.update("pets", id, { metadata: { zone: "7" } }, { ...options, ifVersion })]
    }),
    external_id_taken: ofPet(1, async (petstore, id) => {
      const [other, externalId] = [await petOf(petstore, 1), newName()]
      const { records } = petstore
      return [
        (options) => records.update("pets", id, { externalId }, options),
        async () => {
          await records.update("pets", id, { externalId: null })
          await records.update("pets", other, { externalId })
        }
      ]
    })
  }
} satisfies { readonly [Method in RepeatableMethod]?: Rejections }

const ofPets = {
  "pets.create": creating(({ pets }, categoryId, options) => pets.create({ name: "Rex", categoryId }, options)),
  "pets.createAll": creating(({ pets }, categoryId, options) => pets.createAll([{ name: "Rex", categoryId }], options)),
  "pets.delete": {
    not_found: ofPet(9, ({ pets }, petId) => [(options) => pets.delete(petId, { ...options, ifVersion: 1 })])
  },
  "pets.update": {
    not_found: ofPet(9, ({ pets }, petId) => [
      (options) => pets.update(petId, { name: "Max" }, options),
      () => pets.delete(petId)
    ]),
    precondition_failed: ofPet(9, ({ pets }, petId) => [
      (options) => pets.update(petId, { name: "Max" }, { ...options, ifVersion: 1 })
    ]),
    unknown_category: ofPet(9, async (petstore, petId) => {
      const { categoryId: before } = await petstore.pets.get(petId)
      const categoryId = await category(petstore)
      return [
        (options) => petstore.pets.update(petId, { categoryId }, options),
        async () => {
          await petstore.pets.update(petId, { categoryId: before })
          await petstore.categories.delete(categoryId)
        }
      ]
    }),
    invalid_status_transition: async (petstore) => {
      const petId = await heldPetOf(petstore, 9)
      return [
        (options) => petstore.pets.update(petId, { status: "available" }, options),
        () => petstore.pets.update(petId, { status: "sold" })
      ]
    },
    pet_reserved: async (petstore) => {
      const petId = await heldPetOf(petstore, 2)
      return [
        (options) => petstore.pets.update(petId, { status: "available" }, options),
        () => petstore.orders.place({ petId, quantity: 2 })
      ]
    },
    pet_has_open_orders: ofPet(2, (petstore, petId) => [
      (options) => petstore.pets.update(petId, { status: "sold" }, options),
      async () => {
        await petstore.inventory.set(petId, 2)
        await petstore.orders.place({ petId })
      }
    ])
  },
  "inventory.set": counting(({ inventory }, petId, quantity, options) => inventory.set(petId, quantity, options)),
  "inventory.setAll": counting(({ inventory }, petId, quantity, { ifVersion, ...options }) =>
    inventory.setAll([{ petId, quantity, ...(ifVersion === undefined ? {} : { ifVersion }) }], options)
  ),
  "inventory.adjust": adjusting(({ inventory }, petId, adjustment, options) =>
    inventory.adjust(petId, adjustment, options)
  ),
  "inventory.adjustAll": adjusting(({ inventory }, petId, adjustment, options) =>
    inventory.adjustAll([{ petId, ...adjustment }], options)
  )
} satisfies { readonly [Method in RepeatableMethod]?: Rejections }

const reserveFor = "1 day"

const ofOrders = {
  "orders.place": placing(({ orders }, petId, options) => orders.place({ petId }, { ...options, reserveFor })),
  "orders.placeAll": placing(({ orders }, petId, options) => orders.placeAll([{ petId }], { ...options, reserveFor })),
  "orders.update": {
    ...ofEndedOrder(({ orders }, orderId, options) => orders.update(orderId, { quantity: 2 }, options)),
    precondition_failed: ofOrder(({ orders }, orderId) => [
      (options) => orders.update(orderId, { quantity: 2 }, { ...options, ifVersion: 1 })
    ]),
    unknown_pet: moving(({ pets }, petId) => pets.delete(petId)),
    pet_not_available: moving(({ pets }, petId) => pets.update(petId, { status: "pending" })),
    insufficient_stock: ofOrder(({ orders }, orderId, petId) => [
      (options) => orders.update(orderId, { quantity: 9 }, options),
      async () => {
        await orders.update(orderId, { quantity: 1 })
        await orders.place({ petId })
      }
    ])
  },
  "orders.complete": {
    precondition_failed: ofOrder(({ orders }, id) => [(options) => orders.complete(id, { ...options, ifVersion: 1 })])
  },
  "orders.cancel": {
    not_found: ofOrder(({ orders }, id) => [(options) => orders.cancel(id, { ...options, ifVersion: 1 })])
  },
  "orders.setReservation": {
    ...ofEndedOrder(({ orders }, orderId, options) => orders.setReservation(orderId, { ...options, reserveFor })),
    precondition_failed: ofOrder(({ orders }, orderId) => [
      (options) => orders.setReservation(orderId, { ...options, reserveFor, ifVersion: 0 })
    ])
  },
  "orders.removeReservation": ofEndedOrder(({ orders }, orderId, options) => orders.removeReservation(orderId, options))
} satisfies { readonly [Method in RepeatableMethod]?: Rejections }

const methods: Readonly<Record<RepeatableMethod, Rejections>> = {
  ...ofNames,
  ...ofPets,
  ...ofOrders,
  // Nothing that is stored makes it fail.
  "messages.enqueue": {},
  "messages.delete": once(
    ({ messages }) => messages.enqueue("Hello"),
    ({ messages }, id, options) => messages.delete(id, options)
  ),
  "webhooks.delete": once(
    ({ webhooks }) => webhooks.create({ url: "https://example.com/hook" }),
    ({ webhooks }, id, options) => webhooks.delete(id, { ...options, ifVersion: 1 })
  ),
  "apiKeys.revoke": once(
    async ({ accounts, apiKeys }) => {
      const { id: accountId } = await accounts.create({ name: newName() })
      return apiKeys.create({ accountId, name: "Till", scopes: ["pets:read"] })
    },
    ({ apiKeys }, id, options) => apiKeys.revoke(id, options)
  )
}

const replays = async (petstore: PetstoreApi, rejections: Rejections): Promise<void> => {
  const used = { idempotencyKey: "used" }
  await petstore.messages.enqueue("Hello", used)
  for (const [code, given] of Object.entries(rejections)) {
    const [call, later] = await given(petstore)
    const options = { idempotencyKey: `once-${code}` }
    const first = await call(options)
    await later?.()
    assertEqual(await endOf(call({})), code, `the code without a key, ${code}`)
    assertEqual(await call(options), first, `the result of a retry, ${code}`)
    assertEqual(await endOf(call(used)), "idempotency_key_reused", `the code of a key of another call, ${code}`)
  }
  if (Object.keys(rejections).length === 0) throw new ContractViolation("No rejection is listed", [], ["one"])
}

export const retryCases = petstoreCases("retries", {
  ...Object.fromEntries(
    Object.entries<Rejections>(methods)
      .filter(([method]) => method !== "messages.enqueue")
      .map(([method, rejections]) => [
        `a retry of ${method} with the key of a success is no new call, whatever would reject it by now`,
        (petstore: PetstoreApi) => replays(petstore, rejections)
      ])
  ),
  "a key that was used is rejected before the call that it is used for": async ({ messages, orders }) => {
    const used = { idempotencyKey: "used" }
    const { id } = await orders.place({})
    await messages.enqueue("Hello", used)
    for (const call of [
      () => orders.place({}, { ...used, reserveFor: "1 day" }),
      () => orders.place({ complete: true }, used),
      () => orders.placeAll([{}], { ...used, reserveFor: "1 day" }),
      () => orders.setReservation(id, used),
      () => orders.setReservation(id, { ...used, reserveFor: "1 day" })
    ]) {
      await rejectsWith("idempotency_key_reused", call())
    }
  }
})
