import type { CreateOptions, InventoryAdjustment, PetstoreApi } from "@petstore/core"
import { type ErrorCode, limits, type methodInputs, PetstoreError } from "@petstore/core/domain"
import { assertEqual, ContractViolation } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, heldPetOf, orderOf, petOf } from "./given.ts"
import { rejectsWith } from "./rejections.ts"

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
interface Retried {
  readonly call: (options: CreateOptions) => Promise<unknown>
  readonly later?: () => Promise<unknown>
}

/** For each code, a change after which a repetition of the successful call is rejected with it. */
type Rejections = { readonly [Code in ErrorCode]?: (petstore: PetstoreApi) => Promise<Retried> }

const deletePet = async ({ categories, pets }: PetstoreApi, petId: number): Promise<void> => {
  const { categoryId } = await pets.get(petId)
  await pets.delete(petId)
  await categories.delete(categoryId)
}

let names = 0
const newName = (): string => `Name ${++names}`

const creations = {
  "accounts.create": {
    account_name_taken: async ({ accounts }) => {
      const name = newName()
      return { call: (options) => accounts.create({ name }, options) }
    }
  },
  "categories.create": {
    category_name_taken: async ({ categories }) => {
      const name = newName()
      return { call: (options) => categories.create({ name }, options) }
    }
  },
  "messages.enqueue": {},
  "pets.create": {
    unknown_category: async (petstore) => {
      const categoryId = await category(petstore)
      const { pets } = petstore
      let id = 0
      return {
        call: async (options) => {
          const pet = await pets.create({ name: "Rex", categoryId }, options)
          id = pet.id
          return pet
        },
        later: () => deletePet(petstore, id)
      }
    }
  },
  "pets.createAll": {
    unknown_category: async (petstore) => {
      const categoryId = await category(petstore)
      let id = 0
      return {
        call: async (options) => {
          const created = await petstore.pets.createAll([{ name: "Rex", categoryId }], options)
          id = created[0]?.id ?? id
          return created
        },
        later: () => deletePet(petstore, id)
      }
    }
  }
} satisfies { readonly [Method in RepeatableMethod]?: Rejections }

const placing = (
  place: (petstore: PetstoreApi, petId: number, options: CreateOptions) => Promise<unknown>
): Rejections => ({
  unknown_pet: async (petstore) => {
    const petId = await petOf(petstore, 1)
    const call = (options: CreateOptions) => place(petstore, petId, options)
    return {
      call,
      later: async () => {
        for await (const { complete, id } of petstore.orders.all({ petId }))
          if (!complete) await petstore.orders.cancel(id)
        await petstore.pets.delete(petId)
      }
    }
  },
  pet_not_available: async (petstore) => {
    const petId = await petOf(petstore, 9)
    const call = (options: CreateOptions) => place(petstore, petId, options)
    return { call, later: () => petstore.pets.update(petId, { status: "pending" }) }
  },
  insufficient_stock: async (petstore) => {
    const petId = await petOf(petstore, 9)
    const call = (options: CreateOptions) => place(petstore, petId, options)
    return { call, later: () => petstore.orders.place({ petId, quantity: 8 }) }
  }
})

/** Cases of an order that was open when the key was used, and is cancelled or completed before the retry. */
const ofEndedOrder = (
  change: (petstore: PetstoreApi, orderId: number, options: CreateOptions) => Promise<unknown>
): Rejections => ({
  not_found: async (petstore) => {
    const orderId = await orderOf(petstore, await petOf(petstore, 9))
    return {
      call: (options) => change(petstore, orderId, options),
      later: () => petstore.orders.cancel(orderId)
    }
  },
  order_already_complete: async (petstore) => {
    const orderId = await orderOf(petstore, await petOf(petstore, 9))
    return {
      call: (options) => change(petstore, orderId, options),
      later: async () => {
        await petstore.orders.update(orderId, { quantity: 5 })
        await petstore.orders.complete(orderId)
      }
    }
  }
})

const ofOrders = {
  "orders.place": placing(({ orders }, petId, options) => orders.place({ petId }, { ...options, reserveFor: "1 day" })),
  "orders.placeAll": placing(({ orders }, petId, options) =>
    orders.placeAll([{ petId }], { ...options, reserveFor: "1 day" })
  ),
  "orders.update": {
    ...ofEndedOrder(({ orders }, orderId, options) => orders.update(orderId, { quantity: 2 }, options)),
    precondition_failed: async (petstore) => {
      const orderId = await orderOf(petstore, await petOf(petstore, 9))
      return { call: (options) => petstore.orders.update(orderId, { quantity: 2 }, { ...options, ifVersion: 1 }) }
    },
    unknown_pet: async (petstore) => {
      const [petId, other] = [await petOf(petstore, 9), await petOf(petstore, 9)]
      const orderId = await orderOf(petstore, other)
      return {
        call: (options) => petstore.orders.update(orderId, { petId }, options),
        later: async () => {
          await petstore.orders.update(orderId, { petId: other })
          await petstore.pets.delete(petId)
        }
      }
    },
    pet_not_available: async (petstore) => {
      const [petId, other] = [await petOf(petstore, 9), await petOf(petstore, 9)]
      const orderId = await orderOf(petstore, other)
      return {
        call: (options) => petstore.orders.update(orderId, { petId }, options),
        later: async () => {
          await petstore.orders.update(orderId, { petId: other })
          await petstore.pets.update(petId, { status: "pending" })
        }
      }
    },
    insufficient_stock: async (petstore) => {
      const petId = await petOf(petstore, 9)
      const orderId = await orderOf(petstore, petId)
      return {
        call: (options) => petstore.orders.update(orderId, { quantity: 9 }, options),
        later: async () => {
          await petstore.orders.update(orderId, { quantity: 1 })
          await petstore.orders.place({ petId })
        }
      }
    }
  },
  "orders.complete": {
    precondition_failed: async (petstore) => {
      const orderId = await orderOf(petstore, await petOf(petstore, 9))
      return { call: (options) => petstore.orders.complete(orderId, { ...options, ifVersion: 1 }) }
    }
  },
  "orders.cancel": {
    not_found: async (petstore) => {
      const orderId = await orderOf(petstore, await petOf(petstore, 9))
      return { call: (options) => petstore.orders.cancel(orderId, { ...options, ifVersion: 1 }) }
    }
  },
  "orders.setReservation": {
    ...ofEndedOrder(({ orders }, orderId, options) =>
      orders.setReservation(orderId, { ...options, reserveFor: "1 day" })
    ),
    precondition_failed: async (petstore) => {
      const orderId = await orderOf(petstore, await petOf(petstore, 9))
      const set = { reserveFor: "1 day", ifVersion: 0 } as const
      return { call: (options) => petstore.orders.setReservation(orderId, { ...options, ...set }) }
    }
  },
  "orders.removeReservation": ofEndedOrder(({ orders }, orderId, options) => orders.removeReservation(orderId, options))
} satisfies { readonly [Method in RepeatableMethod]?: Rejections }

const counting = (
  set: (
    petstore: PetstoreApi,
    petId: number,
    quantity: number,
    options: CreateOptions & { readonly ifVersion?: number }
  ) => Promise<unknown>
): Rejections => ({
  not_found: async (petstore) => {
    const petId = await petOf(petstore, 9)
    return { call: (options) => set(petstore, petId, 2, options), later: () => petstore.pets.delete(petId) }
  },
  precondition_failed: async (petstore) => {
    const petId = await petOf(petstore, 9)
    const { version } = await petstore.inventory.get(petId)
    return { call: (options) => set(petstore, petId, 2, { ...options, ifVersion: version }) }
  },
  quantity_below_reserved: async (petstore) => {
    const petId = await petOf(petstore, 9)
    return {
      call: (options) => set(petstore, petId, 2, options),
      later: async () => {
        await petstore.inventory.set(petId, 9)
        await petstore.orders.place({ petId, quantity: 3 })
      }
    }
  }
})

const adjusting = (
  adjust: (
    petstore: PetstoreApi,
    petId: number,
    adjustment: InventoryAdjustment,
    options: CreateOptions
  ) => Promise<unknown>
): Rejections => ({
  not_found: async (petstore) => {
    const petId = await petOf(petstore, 9)
    return {
      call: (options) => adjust(petstore, petId, { delta: 1, reason: "received" }, options),
      later: () => petstore.pets.delete(petId)
    }
  },
  quantity_below_reserved: async (petstore) => {
    const petId = await petOf(petstore, 4)
    return {
      call: (options) => adjust(petstore, petId, { delta: -2, reason: "damaged" }, options),
      later: () => petstore.orders.place({ petId })
    }
  },
  stock_limit_exceeded: async (petstore) => {
    const petId = await petOf(petstore, limits.stock - 1)
    return { call: (options) => adjust(petstore, petId, { delta: 1, reason: "received" }, options) }
  }
})

const ofStock = {
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

const ofPets = {
  "pets.delete": {
    not_found: async (petstore) => {
      const petId = await petOf(petstore, 9)
      return { call: (options) => petstore.pets.delete(petId, { ...options, ifVersion: 1 }) }
    }
  },
  "pets.update": {
    not_found: async (petstore) => {
      const petId = await petOf(petstore, 9)
      return {
        call: (options) => petstore.pets.update(petId, { name: "Max" }, options),
        later: () => petstore.pets.delete(petId)
      }
    },
    precondition_failed: async (petstore) => {
      const petId = await petOf(petstore, 9)
      return { call: (options) => petstore.pets.update(petId, { name: "Max" }, { ...options, ifVersion: 1 }) }
    },
    unknown_category: async (petstore) => {
      const [petId, categoryId] = [await petOf(petstore, 9), await category(petstore)]
      const before = (await petstore.pets.get(petId)).categoryId
      return {
        call: (options) => petstore.pets.update(petId, { categoryId }, options),
        later: async () => {
          await petstore.pets.update(petId, { categoryId: before })
          await petstore.categories.delete(categoryId)
        }
      }
    },
    invalid_status_transition: async (petstore) => {
      const petId = await heldPetOf(petstore, 9)
      return {
        call: (options) => petstore.pets.update(petId, { status: "available" }, options),
        later: () => petstore.pets.update(petId, { status: "sold" })
      }
    },
    pet_reserved: async (petstore) => {
      const petId = await heldPetOf(petstore, 2)
      return {
        call: (options) => petstore.pets.update(petId, { status: "available" }, options),
        later: () => petstore.orders.place({ petId, quantity: 2 })
      }
    },
    pet_has_open_orders: async (petstore) => {
      const petId = await petOf(petstore, 2)
      return {
        call: (options) => petstore.pets.update(petId, { status: "sold" }, options),
        later: async () => {
          await petstore.inventory.set(petId, 2)
          await petstore.orders.place({ petId })
        }
      }
    }
  }
} satisfies { readonly [Method in RepeatableMethod]?: Rejections }

const ofOthers = {
  "apiKeys.revoke": {
    not_found: async ({ accounts, apiKeys }) => {
      const { id: accountId } = await accounts.create({ name: newName() })
      const { id } = await apiKeys.create({ accountId, name: "Till", scopes: ["pets:read"] })
      return { call: (options) => apiKeys.revoke(id, options) }
    }
  },
  "categories.delete": {
    not_found: async (petstore) => {
      const id = await category(petstore)
      return { call: (options) => petstore.categories.delete(id, { ...options, ifVersion: 1 }) }
    }
  },
  "categories.update": {
    not_found: async (petstore) => {
      const id = await category(petstore)
      return {
        call: (options) => petstore.categories.update(id, { description: "Bark" }, options),
        later: () => petstore.categories.delete(id)
      }
    },
    precondition_failed: async (petstore) => {
      const id = await category(petstore)
      const change = { description: "Bark" }
      return { call: (options) => petstore.categories.update(id, change, { ...options, ifVersion: 1 }) }
    },
    category_name_taken: async (petstore) => {
      const [id, name] = [await category(petstore), newName()]
      return {
        call: (options) => petstore.categories.update(id, { name }, options),
        later: async () => {
          await petstore.categories.update(id, { name: newName() })
          await petstore.categories.create({ name })
        }
      }
    }
  },
  "records.update": {
    not_found: async (petstore) => {
      const id = await petOf(petstore, 1)
      return {
        call: (options) => petstore.records.update("pets", id, { metadata: { zone: "7" } }, options),
        later: () => petstore.pets.delete(id)
      }
    },
    precondition_failed: async (petstore) => {
      const id = await petOf(petstore, 1)
      const { version: ifVersion } = await petstore.records.get("pets", id)
      const change = { metadata: { zone: "7" } }
      return { call: (options) => petstore.records.update("pets", id, change, { ...options, ifVersion }) }
    },
    external_id_taken: async (petstore) => {
      const [id, other, externalId] = [await petOf(petstore, 1), await petOf(petstore, 1), newName()]
      return {
        call: (options) => petstore.records.update("pets", id, { externalId }, options),
        later: async () => {
          await petstore.records.update("pets", id, { externalId: null })
          await petstore.records.update("pets", other, { externalId })
        }
      }
    }
  },
  "messages.delete": {
    not_found: async ({ messages }) => {
      const { id } = await messages.enqueue("Hello")
      return { call: (options) => messages.delete(id, options) }
    }
  },
  "webhooks.delete": {
    not_found: async ({ webhooks }) => {
      const { id } = await webhooks.create({ url: "https://example.com/hook" })
      return { call: (options) => webhooks.delete(id, { ...options, ifVersion: 1 }) }
    }
  }
} satisfies { readonly [Method in RepeatableMethod]?: Rejections }

const methods: Readonly<Record<RepeatableMethod, Rejections>> = {
  ...creations,
  ...ofOrders,
  ...ofStock,
  ...ofPets,
  ...ofOthers
}

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "success",
    (error: unknown) => {
      if (error instanceof PetstoreError) return error.code
      throw error
    }
  )

const replays = async (petstore: PetstoreApi, rejections: Rejections): Promise<void> => {
  const used = { idempotencyKey: "used" }
  await petstore.messages.enqueue("Hello", used)
  for (const [code, given] of Object.entries(rejections)) {
    const { call, later } = await given(petstore)
    const options = { idempotencyKey: `once-${code}` }
    const first = await call(options)
    await later?.()
    assertEqual(await codeOf(call({})), code, `the code without a key, ${code}`)
    assertEqual(await call(options), first, `the result of a retry, ${code}`)
    assertEqual(await codeOf(call(used)), "idempotency_key_reused", `the code of a key of another call, ${code}`)
  }
  if (Object.keys(rejections).length === 0) throw new ContractViolation("No rejection is listed", [], ["one"])
}

export const retryCases = petstoreCases("retries", {
  ...Object.fromEntries(
    Object.entries<Rejections>(methods).flatMap(([method, rejections]) =>
      // Nothing that is stored makes it fail.
      method === "messages.enqueue"
        ? []
        : [
            [
              `a retry of ${method} with the key of a success is no new call, whatever would reject it by now`,
              (petstore: PetstoreApi) => replays(petstore, rejections)
            ]
          ]
    )
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
