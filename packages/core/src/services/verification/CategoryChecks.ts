import { nameKey } from "../../domain/Text.ts"
import type { CategoryRecord } from "../../ports/CategoryRows.ts"
import { Check } from "./Check.ts"

/** The rules of categories, each on its own row. */
export class CategoryChecks {
  readonly names = new Check(
    "category_names",
    "No two categories have the same name, without regard to case and spelling of characters."
  )
  private readonly idByName = new Map<string, number>()

  addCategory({ category: { id, name }, deleted, nameKey: key }: CategoryRecord): void {
    const other = deleted ? undefined : this.idByName.get(key)
    this.names.expect(key === nameKey(name) && other === undefined, () => ({
      categoryId: id,
      name,
      ...(other === undefined ? { comparedAs: key } : { sameAs: other })
    }))
    if (!deleted) this.idByName.set(key, id)
  }
}
