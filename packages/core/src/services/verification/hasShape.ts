import type { EventRecord } from "../../ports/EventRows.ts"
import { isOrderContent } from "./isOrderContent.ts"

const isText = (value: unknown): boolean => typeof value === "string" && value !== ""

const isCount = (value: unknown, least: number): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least

const isId = (value: unknown): boolean => isCount(value, 1)

const isStatus = (value: unknown): boolean => value === "available" || value === "pending" || value === "sold"

/** Whether the data of an event has the fields of its type, each with a value that it can have. */
export const hasShape = ({ data, type }: EventRecord): boolean => {
  switch (type) {
    case "category.created":
    case "category.updated":
      return (
        isText(data.name) &&
        (data.description === undefined || typeof data.description === "string") &&
        isCount(data.version, 1)
      )
    case "pet.created":
    case "pet.updated":
      return isText(data.name) && isId(data.categoryId) && isStatus(data.status) && isCount(data.version, 1)
    case "pet.status_changed":
      return (
        isText(data.name) &&
        isId(data.categoryId) &&
        isStatus(data.status) &&
        isStatus(data.previous) &&
        isCount(data.version, 1)
      )
    case "inventory.updated":
      return (
        isCount(data.quantity, 0) &&
        isCount(data.reserved, 0) &&
        isCount(data.available, 0) &&
        typeof data.held === "boolean" &&
        isCount(data.version, 1)
      )
    case "order.placed":
    case "order.updated":
    case "order.completed":
      return isOrderContent(data) && isCount(data.version, 1)
    default:
      return true
  }
}
