import { nameKey } from "../../domain/Text.ts"
import type { CategoryRecord } from "../../ports/CategoryRows.ts"
import { Check } from "./Check.ts"

/** The rules of categories, each on its own row, and of the pets that belong to them. */
export class CategoryChecks {
  readonly names = new Check(
    "category_names",
    "No two categories have the same name, without regard to case and spelling of characters."
  )
  readonly pets = new Check("pet_categories", "The category of a pet exists; it may be deleted only if the pet is.")

  /** `found` is the category that is found by the name of this one. */
  addCategory({ category: { id, name }, deleted, nameKey: key }: CategoryRecord, found: CategoryRecord | undefined) {
    const isKey = key === nameKey(name)
    const holder = found?.category.id ?? null
    this.names.expect(isKey && (deleted || holder === id), () => ({
      categoryId: id,
      name,
      ...(isKey ? { sameAs: holder } : { comparedAs: key })
    }))
  }

  /** Counts a pet of a category. */
  addPet(petId: number, deleted: boolean, categoryId: number, category: CategoryRecord | undefined): void {
    this.pets.expect(category !== undefined && (!category.deleted || deleted), () => ({ petId, categoryId }))
  }
}
