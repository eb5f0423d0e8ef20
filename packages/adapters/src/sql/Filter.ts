import type { Value } from "./Sql.ts"

/** The conditions of one list, joined as they are asked for. */
export class Filter {
  text: string
  readonly values: Array<Value> = []

  constructor(condition: string) {
    this.text = condition
  }

  and(condition: string, ...values: ReadonlyArray<Value>): void {
    this.text += ` AND ${condition}`
    this.values.push(...values)
  }
}
