import type { Value } from "../../sql/Sql.ts"

/** The text that an advisory lock on a name with values is taken for. Stores in different schemas do not wait for each other. */
export const claimOf = (schema: string, name: string, values: ReadonlyArray<Value>): string =>
  JSON.stringify([schema, name, ...values])
