import type { Value } from "./Value.ts"

/** The conditions of one query, joined by AND. */
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
