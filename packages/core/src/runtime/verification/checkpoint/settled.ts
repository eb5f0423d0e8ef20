import type { CategoryRecord } from "../../../tables/categoryTable.ts"
import type { OrderRecord } from "../../../tables/orderTable.ts"
import type { PetRecord } from "../../../tables/petTable.ts"
import { digestOf, plus } from "../digest.ts"
import type { Row } from "../Finding.ts"
import { type StockTrace, textOf } from "../Ledger.ts"
import type { Check } from "../Report.ts"
import {
  replayedCategory,
  replayedOrder,
  replayedPet,
  replayedStock,
  storedCategory,
  storedOrder,
  storedPet,
  storedStock
} from "../replayedRows.ts"
import { type CheckpointTotal, type FoldedRow, noRows, settledTogether, subjectOfSettled } from "./CheckpointState.ts"

const fieldsOf = (row: Row): string =>
  JSON.stringify(
    Object.entries(row)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )

const digestOfPet = (id: number, pet: Row, stock: Row, trace: StockTrace | undefined): number =>
  digestOf("pets", id, fieldsOf(pet), fieldsOf(stock), trace?.digest ?? 0, textOf(trace))

/** Without the time of the latest change, which is also that of a record. */
const digestOfOrder = (id: number, { updatedAt: _, ...order }: Row): number => digestOf("orders", id, fieldsOf(order))

/** The digest of a stored row that has ended. */
export const digestOfStored = {
  categories: (record: CategoryRecord): number =>
    digestOf("categories", record.category.id, fieldsOf(storedCategory(record))),
  /** `trace`: of its movements. */
  pets: (record: PetRecord, trace: StockTrace | undefined): number =>
    digestOfPet(record.id, storedPet(record), storedStock(record), trace),
  orders: (record: OrderRecord): number => digestOfOrder(record.id, storedOrder(record))
}

/** The same digest, of what the events of a row leave; undefined if the row has not ended. */
export const digestOfEnded = (id: number, { category, order, pet, stock, trace }: FoldedRow): number | undefined => {
  if (category?.end !== undefined) return digestOf("categories", id, fieldsOf(replayedCategory(category)))
  if (order?.end !== undefined) return digestOfOrder(id, replayedOrder(order))
  if (pet?.end === undefined || stock === undefined) return undefined
  return digestOfPet(id, replayedPet(pet), replayedStock(stock), trace)
}

/** Compares rows that have ended, and whose events were all removed, with the digests of the checkpoint. */
export class SettledRows {
  private readonly check: Check<"settled">
  private readonly expected = new Map<string, CheckpointTotal>()
  private readonly stored = new Map<string, CheckpointTotal>()

  constructor(check: Check<"settled">) {
    this.check = check
  }

  expect(subject: string, total: CheckpointTotal): void {
    this.expected.set(subject, total)
  }

  /** Adds a row by the digest of it. */
  add(table: string, id: number, digest: number): void {
    const subject = subjectOfSettled(table, id)
    const { digest: before, rows } = this.stored.get(subject) ?? noRows
    this.stored.set(subject, { rows: rows + 1, digest: plus(before, digest) })
  }

  /** Compares all rows. Call it after the last. */
  finish(): void {
    for (const subject of new Set([...this.expected.keys(), ...this.stored.keys()])) {
      const [, table = "", place] = subject.split("/")
      const first = Number(place) * settledTogether
      this.check({
        table,
        rows: `${table} ${first} to ${first + settledTogether - 1}`,
        stored: this.stored.get(subject) ?? noRows,
        expected: this.expected.get(subject) ?? noRows
      })
    }
  }
}
