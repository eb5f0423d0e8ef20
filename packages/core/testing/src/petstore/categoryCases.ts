import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { allIds } from "./inspect.ts"
import { rejectsWith } from "./rejections.ts"

export const categoryCases = petstoreCases("categories", {
  "a new category gets an id and version 1": async (petstore) => {
    const created = await petstore.categories.create({ name: "Dogs", description: "All that bark" })
    assertTrue(Number.isSafeInteger(created.id) && created.id > 0, "the id is a positive whole number")
    assertEqual(created, { id: created.id, name: "Dogs", description: "All that bark", version: 1 })
    assertEqual(await petstore.categories.get(created.id), created)
  },
  "a category needs no description, and may have an empty one": async (petstore) => {
    for (const fields of [{ name: "Dogs" }, { name: "Cats", description: "" }]) {
      const { id } = await petstore.categories.create(fields)
      assertEqual(await petstore.categories.get(id), { id, ...fields, version: 1 })
    }
  },
  "what changes of a category raises its version, and the rest stays": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "dogs", description: "All that bark" })
    const cats = await petstore.categories.create({ name: "Cats" })
    const steps = [
      [{ name: "Hounds" }, { name: "Hounds", description: "All that bark", version: 2 }],
      [{ description: "All that howl" }, { name: "Hounds", description: "All that howl", version: 3 }],
      [{}, { name: "Hounds", description: "All that howl", version: 3 }],
      [
        { name: "Hounds", description: "All that howl" },
        { name: "Hounds", description: "All that howl", version: 3 }
      ],
      [
        { name: "HOUNDS", description: null },
        { name: "HOUNDS", version: 4 }
      ],
      [{ description: null }, { name: "HOUNDS", version: 4 }]
    ] as const
    for (const [update, expected] of steps) {
      // An id that is sent is ignored.
      assertEqual(await petstore.categories.update(id, { id: cats.id, ...update }), { id, ...expected })
      assertEqual(await petstore.categories.get(id), { id, ...expected })
    }
    assertEqual(await petstore.categories.get(cats.id), cats)
  },
  "the name of another category is rejected, in upper and lower case": async (petstore) => {
    const { categories } = petstore
    const [dogs, cats] = [await categories.create({ name: "Dogs" }), await categories.create({ name: "Cats" })]
    for (const name of ["Dogs", "dOGS"]) {
      await rejectsWith("category_name_taken", categories.create({ name }), { name })
      await rejectsWith("category_name_taken", categories.update(cats.id, { name, description: "Purr" }), { name })
    }
    assertEqual(await categories.get(cats.id), cats)
    assertEqual(await allIds(categories.all()), [dogs.id, cats.id])
  },
  "the name of a renamed or deleted category is available again, and an id is never reused": async (petstore) => {
    const { categories } = petstore
    const { id: renamed } = await categories.create({ name: "Dogs" })
    await categories.update(renamed, { name: "Hounds" })
    const { id: deleted } = await categories.create({ name: "Dogs" })
    await categories.delete(deleted)
    const { id } = await categories.create({ name: "Dogs" })
    assertEqual(new Set([renamed, deleted, id]).size, 3)
    await rejectsWith("not_found", categories.get(deleted))
  },
  "a category is deleted when its pets are deleted or moved, and then gone; before, even with sold ones, it is in use":
    async (petstore) => {
      const { categories, pets } = petstore
      const { id: categoryId } = await categories.create({ name: "Dogs" })
      const { id: other } = await categories.create({ name: "Cats" })
      const moved = await pets.create({ name: "Rex", categoryId, status: "sold" })
      const deleted = await pets.create({ name: "Bello", categoryId })
      await rejectsWith("category_in_use", categories.delete(categoryId), { categoryId })
      await pets.delete(deleted.id)
      await rejectsWith("category_in_use", categories.delete(categoryId), { categoryId })
      assertEqual((await categories.get(categoryId)).version, 1)
      await pets.update(moved.id, { categoryId: other })
      await categories.delete(categoryId)
      await rejectsWith("not_found", categories.get(categoryId))
      await rejectsWith("not_found", categories.update(categoryId, { name: "Hounds" }))
      await rejectsWith("not_found", categories.delete(categoryId))
      await rejectsWith("unknown_category", pets.create({ name: "Rex", categoryId }), { categoryId })
      assertEqual(await allIds(categories.all()), [other])
    }
})
