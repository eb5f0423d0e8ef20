import {
  CategoryName,
  PetName,
  PetStatus,
  StockQuantity,
  StockRules,
  validator,
  withoutInput
} from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Reading } from "./ImportSettings.ts"
import { type Field, fields, type SourceRow, type Values } from "./SourceRow.ts"

/** A pet in a file. */
const PetRow = Schema.Struct({
  name: PetName,
  category: CategoryName,
  status: Schema.optionalKey(PetStatus),
  quantity: Schema.optionalKey(StockQuantity)
})
export type PetRow = typeof PetRow.Type

const validate = validator(PetRow)

const fieldOf = (path: string): Field | undefined => fields.find((field) => path === `/body/${field}`)

/** Whether a new pet of this status keeps it with this quantity. */
const agrees = ({ quantity, status }: PetRow): boolean => {
  if (status === undefined || quantity === undefined) return true
  const { stock } = StockRules.initial(status)
  return Result.match(StockRules.setQuantity(1, stock, quantity), {
    onFailure: () => false,
    onSuccess: (change) => StockRules.statusOf(change.stock) === status
  })
}

/** The values of a row, with what the flags put in their place. */
const valuesOf = (values: Values, { defaultName, statuses }: Reading): Values => {
  if (defaultName === undefined && statuses.size === 0) return values
  const status = statuses.get(String(values.status ?? "")) ?? values.status
  return { ...values, name: values.name ?? defaultName, status }
}

/** Reads the pet of a row, or returns why the row is rejected. */
export const readPetRow = (row: SourceRow, reading: Reading): Result.Result<PetRow, string> => {
  if (row.problem !== undefined) return Result.fail(row.problem)
  const values = valuesOf(row.values, reading)
  const pet = Result.mapError(validate("/body", values), (violations) =>
    violations
      .map(({ message, path }) => {
        const field = fieldOf(path)
        const title = field === undefined ? path : reading.columns[field].title
        if (field === "status") return `${title}: ${message}; map it with --map-status`
        return message === "Missing field" ? `${title} is empty` : `${title}: ${withoutInput(message)}`
      })
      .join("; ")
  )
  return Result.filterOrFail(
    pet,
    agrees,
    ({ quantity, status }) => `a pet with the status ${status} cannot have the quantity ${quantity}`
  )
}
