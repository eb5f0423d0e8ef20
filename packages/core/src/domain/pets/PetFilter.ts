import * as Schema from "effect/Schema"
import { Id } from "../Id.ts"
import { PetStatus } from "../inventory/Stock.ts"
import { limits } from "../limits.ts"
import { countField, PageQuery } from "../PageQuery.ts"
import { includeField } from "../records/IncludedRecord.ts"
import { recordFilters, timeSorts } from "../records/ListFilter.ts"
import { beginning } from "../Text.ts"
import { searchedWords } from "./words.ts"

const searchText = beginning(limits.petName).check(
  Schema.makeFilter((text: string) => {
    const count = searchedWords(text).length
    if (count === 0) return "Expected at least one letter or digit"
    return count <= limits.searchedWords || `Expected at most ${limits.searchedWords} words`
  })
)

/** Orders of lists of pets; `-` is for descending. */
export const PetSort = Schema.Literals(["id", "-id", "name", "-name", ...timeSorts])
export type PetSort = typeof PetSort.Type

/** Which pets to list, and in which order. */
export const PetFilter = Schema.Struct({
  ...PageQuery.fields,
  ...countField,
  ...includeField,
  ...recordFilters,
  /** Default: `id`. With the filter `name` it is `name` or `-name`. Default then: `name`. Likewise with filters by a time. */
  sort: Schema.optionalKey(PetSort),
  status: Schema.optionalKey(PetStatus),
  categoryId: Schema.optionalKey(Id),
  /** The beginning of the name; case matters. Names are sorted by code points, and equal ones by ids. */
  name: Schema.optionalKey(beginning(limits.petName)),
  /**
   * Words of the name, in any order, each at least as its beginning; case and accents do not matter. At most 10. Needs the option
   * `search` of the petstore.
   *
   * @beta
   */
  search: Schema.optionalKey(searchText),
  /** At most 100 ids. The page has all of them unless there is a lower `limit`. */
  id: Schema.optionalKey(
    Schema.Array(Id).check(
      Schema.isMinLength(1, { message: "Expected at least one id" }),
      Schema.isMaxLength(limits.ids, { message: `Expected at most ${limits.ids} ids` })
    )
  )
})
export interface PetFilter extends Omit<Schema.Schema.Type<typeof PetFilter>, "include"> {}
