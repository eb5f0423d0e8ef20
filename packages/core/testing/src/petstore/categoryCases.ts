import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { unknown } from "./given.ts"
import { rejectsWith } from "./rejections.ts"

export const categoryCases = petstoreCases("categories", {
  "a new category gets an id and version 1": async (petstore) => {
    const created = await petstore.categories.create({ name: "Dogs", description: "All that bark" })
    assertTrue(Number.isSafeInteger(created.id) && created.id > 0, "the id is a positive whole number")
    assertEqual(created, { id: created.id, name: "Dogs", description: "All that bark", version: 1 })
    assertEqual(await petstore.categories.get(created.id), created)
  },
  "a category needs no description, and may have an empty one": async (petstore) => {
    const dogs = await petstore.categories.create({ name: "Dogs" })
    assertEqual(await petstore.categories.get(dogs.id), { id: dogs.id, name: "Dogs", version: 1 })
    const cats = await petstore.categories.create({ name: "Cats", description: "" })
    assertEqual(await petstore.categories.get(cats.id), { id: cats.id, name: "Cats", description: "", version: 1 })
  },
  "an unknown category is not found": async (petstore) => {
    await rejectsWith("not_found", petstore.categories.get(unknown))
    await rejectsWith("not_found", petstore.categories.update(unknown, { name: "Dogs" }))
    await rejectsWith("not_found", petstore.categories.delete(unknown))
  },
  "the name of another category is rejected, in upper and lower case": async (petstore) => {
    await petstore.categories.create({ name: "Dogs" })
    await rejectsWith("category_name_taken", petstore.categories.create({ name: "Dogs" }), { name: "Dogs" })
    await rejectsWith("category_name_taken", petstore.categories.create({ name: "dOGS" }), { name: "dOGS" })
    assertEqual((await petstore.categories.list()).items.length, 1)
  },
  "a category gets another name and description": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs", description: "All that bark" })
    const renamed = await petstore.categories.update(id, { name: "Hounds" })
    assertEqual(renamed, { id, name: "Hounds", description: "All that bark", version: 2 })
    const described = await petstore.categories.update(id, { description: "All that howl" })
    assertEqual(described, { id, name: "Hounds", description: "All that howl", version: 3 })
    assertEqual(await petstore.categories.get(id), described)
  },
  "a description of null removes the description": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs", description: "All that bark" })
    assertEqual(await petstore.categories.update(id, { description: null }), { id, name: "Dogs", version: 2 })
    assertEqual(await petstore.categories.update(id, { description: null }), { id, name: "Dogs", version: 2 })
  },
  "an empty or no-op update changes nothing": async (petstore) => {
    const created = await petstore.categories.create({ name: "Dogs", description: "All that bark" })
    const { id, name, description = "" } = created
    assertEqual(await petstore.categories.update(id, {}), created)
    assertEqual(await petstore.categories.update(id, { name, description }), created)
    assertEqual(await petstore.categories.get(id), created)
  },
  "an id that is sent with an update is ignored": async (petstore) => {
    const dogs = await petstore.categories.create({ name: "Dogs" })
    const cats = await petstore.categories.create({ name: "Cats" })
    assertEqual((await petstore.categories.update(dogs.id, { id: cats.id, name: "Hounds" })).id, dogs.id)
    assertEqual(await petstore.categories.get(cats.id), cats)
  },
  "a category may change the case of its own name": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "dogs" })
    assertEqual(await petstore.categories.update(id, { name: "Dogs" }), { id, name: "Dogs", version: 2 })
  },
  "a category cannot take the name of another": async (petstore) => {
    await petstore.categories.create({ name: "Cats" })
    const dogs = await petstore.categories.create({ name: "Dogs" })
    const update = petstore.categories.update(dogs.id, { name: "CATS", description: "All that purr" })
    await rejectsWith("category_name_taken", update, { name: "CATS" })
    assertEqual(await petstore.categories.get(dogs.id), dogs)
  },
  "the old name of a renamed category is available again": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.update(id, { name: "Hounds" })
    assertEqual((await petstore.categories.create({ name: "Dogs" })).name, "Dogs")
  },
  "a deleted category is gone": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.delete(id)
    await rejectsWith("not_found", petstore.categories.get(id))
    await rejectsWith("not_found", petstore.categories.update(id, { name: "Hounds" }))
    await rejectsWith("not_found", petstore.categories.delete(id))
    await rejectsWith("unknown_category", petstore.pets.create({ name: "Rex", categoryId: id }), { categoryId: id })
    assertEqual((await petstore.categories.list()).items, [])
  },
  "the name of a deleted category is available again, and its id is never reused": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.delete(id)
    const next = await petstore.categories.create({ name: "Dogs" })
    assertTrue(next.id !== id, `${next.id} is not an id that was used before`)
    await rejectsWith("not_found", petstore.categories.get(id))
  },
  "a category with pets, even sold ones, cannot be deleted": async (petstore) => {
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const pet = await petstore.pets.create({ name: "Rex", categoryId, status: "sold" })
    await rejectsWith("category_in_use", petstore.categories.delete(categoryId), { categoryId })
    assertEqual((await petstore.pets.get(pet.id)).categoryId, categoryId)
    assertEqual((await petstore.categories.get(categoryId)).version, 1)
  },
  "a category is deleted when its pets are deleted or moved": async (petstore) => {
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const { id: other } = await petstore.categories.create({ name: "Cats" })
    const moved = await petstore.pets.create({ name: "Rex", categoryId })
    const deleted = await petstore.pets.create({ name: "Bello", categoryId })
    await petstore.pets.update(moved.id, { categoryId: other })
    await petstore.pets.delete(deleted.id)
    await petstore.categories.delete(categoryId)
    await rejectsWith("not_found", petstore.categories.get(categoryId))
  }
})
