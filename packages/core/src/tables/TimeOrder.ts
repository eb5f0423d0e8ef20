/** Lists in the order of a time. */

import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { TimeField } from "../domain/records/ListIndex.ts"
import { formatTimestamp, parseTimestamp, plusMillis } from "../domain/Timestamp.ts"
import { type Command, fail } from "../kernel/Command.ts"
import type { Index } from "../kernel/Table.ts"

interface TimeFilter {
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly updatedAfter?: string
  readonly sort?: string
}

/** How a list is sorted by a time, and between which times. */
export interface TimeOrder {
  readonly by: TimeField
  readonly isReversed: boolean
  readonly from: string | undefined
  readonly before: string | undefined
}

/** Where a page of a list by time begins: behind a row with this time, which is between the others. */
export interface TimePlace extends Omit<TimeOrder, "isReversed"> {
  readonly behind?: string
}

/** Fails with what is wrong about a field of a query. */
export const refused = (path: string, message: string) =>
  fail(ValidationFailed.of([{ path: `/query/${path}`, message }]))

/** How a list is sorted by time; undefined if it is not. Filters of a time sort by it. */
export function* timeOrderOf({
  createdAfter,
  createdBefore,
  sort,
  updatedAfter
}: TimeFilter): Command<TimeOrder | undefined, ValidationFailed> {
  const bounds = { createdAt: createdAfter ?? createdBefore, updatedAt: updatedAfter }
  const [filtered, other] = TimeField.literals.filter((field) => bounds[field] !== undefined)
  if (other !== undefined)
    return yield* refused("updatedAfter", "Expected no filter by updatedAt with one by createdAt")
  const sorted = TimeField.literals.find((field) => sort === field || sort === `-${field}`)
  if (filtered !== undefined && sort !== undefined && sorted !== filtered)
    return yield* refused("sort", `Expected ${filtered} or -${filtered} with a filter by ${filtered}`)
  const by = filtered ?? sorted
  if (by === undefined) return undefined
  const after = by === "createdAt" ? createdAfter : updatedAfter
  return {
    by,
    isReversed: sort?.startsWith("-") === true,
    from: after === undefined ? undefined : plusMillis(after, 1),
    before: createdBefore
  }
}

const nameOf = (field: TimeField, group: string): string =>
  `by_${field === "createdAt" ? "created" : "updated"}_${group}`

/** The index of a list by time, of rows that are grouped like this. */
export const timeIndexOf = ({ by }: Pick<TimePlace, "by">, group: string): string => nameOf(by, group)

/** The indexes of lists by time: of each group, one for each time. */
export const timeIndexes = <Row>(
  groups: Readonly<Record<string, Pick<Index<Row>, "equal" | "where">>>
): Readonly<Record<string, Index<Row>>> =>
  Object.fromEntries(
    TimeField.literals.flatMap((field) =>
      Object.entries(groups).map(([group, index]) => [
        nameOf(field, group),
        { ...index, order: [field === "createdAt" ? "created_at" : "updated_at", "id"], option: field }
      ])
    )
  )

/** The range of an index by time, without its equal columns. */
export const timeRange = ({ before, behind, from }: TimePlace, after: number) => ({
  ...(from === undefined ? {} : { from }),
  ...(before === undefined ? {} : { before }),
  ...(behind === undefined ? {} : { after: [behind, after] })
})

/** The position of a row in a list by time, for a cursor. */
export const positionInTime = (id: number, time: string): string => `${id} ${time}`

/** Where a page begins, from its cursor; undefined for a cursor that was made up. */
export const placeInTime = (
  { before, by, from }: TimeOrder,
  last: string
): { readonly after: number; readonly time: TimePlace } | undefined => {
  if (last === "") return { after: 0, time: { by, from, before } }
  const [, id = "", behind = ""] = /^([1-9]\d{0,15}) (\S+)$/.exec(last) ?? []
  const after = Number(id)
  const millis = parseTimestamp(behind)
  const isTime = millis !== undefined && formatTimestamp(millis) === behind
  const isWithin = isTime && (from === undefined || behind >= from) && (before === undefined || behind < before)
  return Number.isSafeInteger(after) && isWithin ? { after, time: { by, from, before, behind } } : undefined
}
