/** The indexes of lists that a shop switches on: each costs every change of what it contains, so that no store has one unasked. */

import * as Schema from "effect/Schema"
import { optionOf } from "../options.ts"
import { isMetadataKey, RecordKind } from "./ResourceRecord.ts"

/** The times of a resource by which lists are sorted. */
export const TimeField = Schema.Literals(["createdAt", "updatedAt"])
export type TimeField = typeof TimeField.Type

/** The name of an index of a list: by a time, by the values of one key of metadata, of the events of each resource, or by stock. */
export type ListIndex = `${RecordKind}.${TimeField | `metadata.${string}`}` | "events.subject" | "inventory.available"

export type IndexedBy =
  | { readonly kind: RecordKind; readonly time: TimeField }
  | { readonly kind: RecordKind; readonly key: string }
  | { readonly kind: "events" }
  | { readonly kind: "inventory" }

/** What the name of an index says; undefined for another text. */
export const parseListIndex = (name: string): IndexedBy | undefined => {
  if (name === "events.subject") return { kind: "events" }
  if (name === "inventory.available") return { kind: "inventory" }
  const [start = "", field = "", ...rest] = name.split(".")
  const kind = RecordKind.literals.find((one) => one === start)
  if (kind === undefined) return undefined
  const time = TimeField.literals.find((one) => one === field)
  if (time !== undefined) return rest.length === 0 ? { kind, time } : undefined
  const key = rest.join(".")
  return field === "metadata" && isMetadataKey(key) ? { kind, key } : undefined
}

/** Whether a text is the name of an index. */
export const isListIndex = (name: string): name is ListIndex => parseListIndex(name) !== undefined

/** What every list of indexes consists of, for messages. */
export const listIndexNames =
  "names such as orders.createdAt, pets.updatedAt or pets.metadata.chip, of pets, categories and orders, events.subject and inventory.available"

/** The option with the indexes of lists. */
export const listIndexOption = optionOf<ReadonlyArray<ListIndex>>(
  `an array of ${listIndexNames}`,
  (value) => Array.isArray(value) && value.every((name) => typeof name === "string" && isListIndex(name))
)
