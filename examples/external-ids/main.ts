import { createPetstore, NotFound } from "@petstore/core"
import { Schema } from "effect"

await using petstore = await createPetstore({
  metadata: { pets: Schema.Struct({ supplier: Schema.Literals(["Happy Paws", "Fin & Fur"]) }) }
})
const { pets, records } = petstore

/** A row of the list that a supplier sends each night. */
interface Row {
  readonly sku: string
  readonly name: string
}

const { id: categoryId } = await petstore.categories.create({ name: "Fish" })

/** The pet of a row: a new one, or the one that an earlier list has created. */
const petOf = async ({ name, sku }: Row): Promise<number> => {
  try {
    return (await records.getByExternalId("pets", sku)).id
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    const { id } = await pets.create({ name, categoryId }, { idempotencyKey: `pet-${sku}` })
    await records.update("pets", id, { externalId: sku, metadata: { supplier: "Fin & Fur" } })
    return id
  }
}

const take = async (list: ReadonlyArray<Row>): Promise<void> => {
  for (const row of list) {
    const id = await petOf(row)
    await pets.update(id, { name: row.name })
    const { externalId, metadata } = await records.get("pets", id)
    console.log(`pet ${id} is ${externalId} of ${metadata.supplier}: ${row.name}`)
  }
}

await take([
  { sku: "FF-7", name: "Wanda" },
  { sku: "FF-8", name: "Bubbles" }
])
console.log("the next night")
await take([
  { sku: "FF-8", name: "Bubbles the Second" },
  { sku: "FF-9", name: "Cleo" }
])
