import type { MemoryTable } from "./MemoryTable.ts"

/** How to take back what one transaction did, step by step. */
export class UndoLog {
  private readonly steps: Array<() => void> = []

  /** A point to go back to. */
  get mark(): number {
    return this.steps.length
  }

  /** Notes how to take back a step that was just done. */
  push(undo: () => void): void {
    this.steps.push(undo)
  }

  /** Sets a row, or takes it away. */
  put<K, Row>(table: Pick<MemoryTable<K, Row>, "put">, key: K, row: Row | undefined): void {
    const before = table.put(key, row)
    this.steps.push(() => table.put(key, before))
  }

  rollbackTo(mark: number): void {
    for (const undo of this.steps.splice(mark).reverse()) undo()
  }
}
