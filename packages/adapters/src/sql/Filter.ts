import type { Value } from "./Sql.ts"

/** The conditions of one list, joined as they are asked for. */
export class Filter {
  text: string
  readonly values: Array<Value>

  constructor(condition: string, ...values: ReadonlyArray<Value>) {
    this.text = condition
    this.values = [...values]
  }

  and(condition: string, ...values: ReadonlyArray<Value>): this {
    this.text += ` AND ${condition}`
    this.values.push(...values)
    return this
  }
}
