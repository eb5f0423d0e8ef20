import type { Storage } from "@petstore/core/ports"
import { aNewCategoryRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"

type Store = Storage["Service"]

const at = "2026-01-01T00:00:00.000Z"

/** A new category; a part of a transaction. */
export const addCategory = (store: Store, name = "Dogs") => store.categories.insert(aNewCategoryRecord({ name }))

/** A new pet with its ledger entry and an event of the same name; a part of a transaction. */
export const addPet = (store: Store, categoryId: number, name = "Rex") =>
  Effect.gen(function* () {
    const stock = { onHand: 1, reserved: 0, held: false }
    const pet = { name, categoryId, version: 1, stock, stockVersion: 1, lastMovement: 1, deleted: false }
    const id = yield* store.pets.insert(pet)
    yield* store.movements.append({
      petId: id,
      seq: 1,
      kind: "initial",
      deltaOnHand: 1,
      deltaReserved: 0,
      actor: "owner",
      at
    })
    const data = { id, name, categoryId, status: "available", version: 1 } as const
    yield* store.events.append({ id: `evt_${name}`, type: "pet.created", subject: `pets/${id}`, timestamp: at, data })
    return id
  })

/** The names of the pets that are there, after checking that each has its ledger entry and its event, in order. */
export const petNames = (store: Store) =>
  store.snapshot(
    Effect.gen(function* () {
      const pets = yield* store.pets.scan(0, 1_000_000)
      const movements = yield* store.movements.scan({ petId: 0, seq: 0 }, 1_000_000)
      const events = yield* store.events.scan(0, 1_000_000)
      const whole =
        movements.every(({ petId }, index) => petId === pets[index]?.id) &&
        events.every(({ seq, id }, index) => seq === index + 1 && id === `evt_${pets[index]?.name}`) &&
        movements.length === pets.length &&
        events.length === pets.length
      if (!whole) return yield* Effect.die(new Error("The store has a part of a transaction"))
      return pets.map(({ name }) => name)
    })
  )
