import { Check } from "./Check.ts"

/** Whether identifiers are ever used twice. */
export class IdChecks {
  readonly ids = new Check(
    "ids_unique",
    "An id is given to one row only, deleted ones included, and one event tells of its creation."
  )
  private readonly latest = new Map<string, number | string>()

  /** Counts the next row of a table, which is read in ascending id. */
  row(table: string, id: number | string): void {
    const before = this.latest.get(table)
    const valid = typeof id === "string" ? id !== "" : Number.isSafeInteger(id) && id > 0
    this.ids.expect(valid && (before === undefined || id > before), () => ({ table, id }))
    this.latest.set(table, id)
  }

  /** Counts an event that tells of a creation. */
  creation(isFirst: boolean, event: { readonly seq: number; readonly subject: string }): void {
    this.ids.expect(isFirst, () => ({ seq: event.seq, subject: event.subject }))
  }
}
