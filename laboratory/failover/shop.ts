/** What the callers order from. */
export interface Shop {
  /** All pets. */
  readonly pets: ReadonlyArray<ShopPet>
}

export interface ShopPet {
  readonly id: number
  /** The units in stock before the first order. */
  readonly units: number
  /** The share of the orders that want it. */
  readonly share: number
}

/** Two pets that most callers want, some more, and one with few units, which are gone early. */
export const petsOfShop: ReadonlyArray<Omit<ShopPet, "id">> = [
  { units: 1_000_000, share: 0.4 },
  { units: 1_000_000, share: 0.2 },
  { units: 50, share: 0.05 },
  ...Array.from({ length: 7 }, () => ({ units: 1_000_000, share: 0.05 }))
]

/** The pet for a number from 0 to 1. */
export const choosePet = ({ pets }: Shop, chance: number): ShopPet => {
  let rest = chance
  for (const pet of pets) {
    rest -= pet.share
    if (rest < 0) return pet
  }
  const last = pets.at(-1)
  if (last === undefined) throw new Error("A shop has pets")
  return last
}
