import { holds, same } from "../check.ts"
import { engineCases } from "./cases.ts"
import { unknown } from "./given.ts"
import { refused } from "./refused.ts"

export const categoryCases = engineCases("categories", {
  "a new category gets an id and version 1": async (petstore) => {
    const created = await petstore.categories.create({ name: "Dogs", description: "All that bark" })
    holds(Number.isSafeInteger(created.id) && created.id > 0, "the id is a positive whole number")
    same(created, { id: created.id, name: "Dogs", description: "All that bark", version: 1 })
    same(await petstore.categories.get(created.id), created)
  },
  "a category needs no description, and may have an empty one": async (petstore) => {
    const dogs = await petstore.categories.create({ name: "Dogs" })
    same(await petstore.categories.get(dogs.id), { id: dogs.id, name: "Dogs", version: 1 })
    const cats = await petstore.categories.create({ name: "Cats", description: "" })
    same(await petstore.categories.get(cats.id), { id: cats.id, name: "Cats", description: "", version: 1 })
  },
  "an unknown category is not found": async (petstore) => {
    await refused("not_found", petstore.categories.get(unknown))
    await refused("not_found", petstore.categories.update(unknown, { name: "Dogs" }))
    await refused("not_found", petstore.categories.delete(unknown))
  },
  "a name that another category has is refused, whatever its case": async (petstore) => {
    await petstore.categories.create({ name: "Dogs" })
    await refused("category_name_taken", petstore.categories.create({ name: "Dogs" }), { name: "Dogs" })
    await refused("category_name_taken", petstore.categories.create({ name: "dOGS" }), { name: "dOGS" })
    same((await petstore.categories.list()).items.length, 1)
  },
  "a category gets another name and description": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs", description: "All that bark" })
    const renamed = await petstore.categories.update(id, { name: "Hounds" })
    same(renamed, { id, name: "Hounds", description: "All that bark", version: 2 })
    const described = await petstore.categories.update(id, { description: "All that howl" })
    same(described, { id, name: "Hounds", description: "All that howl", version: 3 })
    same(await petstore.categories.get(id), described)
  },
  "a description of null is taken away": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs", description: "All that bark" })
    same(await petstore.categories.update(id, { description: null }), { id, name: "Dogs", version: 2 })
    same(await petstore.categories.update(id, { description: null }), { id, name: "Dogs", version: 2 })
  },
  "an update that names nothing, or what is already so, changes nothing": async (petstore) => {
    const created = await petstore.categories.create({ name: "Dogs", description: "All that bark" })
    const { id, name, description = "" } = created
    same(await petstore.categories.update(id, {}), created)
    same(await petstore.categories.update(id, { name, description }), created)
    same(await petstore.categories.get(id), created)
  },
  "an id that is sent with an update is ignored": async (petstore) => {
    const dogs = await petstore.categories.create({ name: "Dogs" })
    const cats = await petstore.categories.create({ name: "Cats" })
    same((await petstore.categories.update(dogs.id, { id: cats.id, name: "Hounds" })).id, dogs.id)
    same(await petstore.categories.get(cats.id), cats)
  },
  "a category may change the case of its own name": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "dogs" })
    same(await petstore.categories.update(id, { name: "Dogs" }), { id, name: "Dogs", version: 2 })
  },
  "a category cannot take the name of another": async (petstore) => {
    await petstore.categories.create({ name: "Cats" })
    const dogs = await petstore.categories.create({ name: "Dogs" })
    const update = petstore.categories.update(dogs.id, { name: "CATS", description: "All that purr" })
    await refused("category_name_taken", update, { name: "CATS" })
    same(await petstore.categories.get(dogs.id), dogs)
  },
  "a name is free again when its category has another": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.update(id, { name: "Hounds" })
    same((await petstore.categories.create({ name: "Dogs" })).name, "Dogs")
  },
  "a deleted category is gone": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.delete(id)
    await refused("not_found", petstore.categories.get(id))
    await refused("not_found", petstore.categories.update(id, { name: "Hounds" }))
    await refused("not_found", petstore.categories.delete(id))
    await refused("unknown_category", petstore.pets.create({ name: "Rex", categoryId: id }), { categoryId: id })
    same((await petstore.categories.list()).items, [])
  },
  "the name of a deleted category is free, its id is never used again": async (petstore) => {
    const { id } = await petstore.categories.create({ name: "Dogs" })
    await petstore.categories.delete(id)
    const next = await petstore.categories.create({ name: "Dogs" })
    holds(next.id > id, `${next.id} is above ${id}`)
    await refused("not_found", petstore.categories.get(id))
  },
  "a category that has pets is not deleted, sold ones count too": async (petstore) => {
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const pet = await petstore.pets.create({ name: "Rex", categoryId, status: "sold" })
    await refused("category_in_use", petstore.categories.delete(categoryId), { categoryId })
    same((await petstore.pets.get(pet.id)).categoryId, categoryId)
    same((await petstore.categories.get(categoryId)).version, 1)
  },
  "a category is deleted when its pets are deleted or moved": async (petstore) => {
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const { id: other } = await petstore.categories.create({ name: "Cats" })
    const moved = await petstore.pets.create({ name: "Rex", categoryId })
    const deleted = await petstore.pets.create({ name: "Bello", categoryId })
    await petstore.pets.update(moved.id, { categoryId: other })
    await petstore.pets.delete(deleted.id)
    await petstore.categories.delete(categoryId)
    await refused("not_found", petstore.categories.get(categoryId))
  }
})
