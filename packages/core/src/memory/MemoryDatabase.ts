import { SynchronousDatabase } from "../adapter-toolkit/SynchronousDatabase.ts"
import { type KeptRows, SynchronousRows } from "../adapter-toolkit/SynchronousRows.ts"
import type { TableName } from "../ports/Restore.ts"
import { EventLog } from "./EventLog.ts"
import { MemoryLog } from "./MemoryLog.ts"
import { MemoryTable } from "./MemoryTable.ts"

/** The rows of one database, which several stores may share. Each change adds a step that undoes it on rollback. */
export class MemoryDatabase extends SynchronousDatabase {
  private readonly undo: Array<() => void> = []
  private depth = 0
  readonly events = new EventLog(this.undo)
  private readonly tables = new Map<string, MemoryTable | MemoryLog>()
  readonly rows = new SynchronousRows(this.events, (table): KeptRows => {
    const kept = table.numberedBy === undefined ? new MemoryTable(this.undo, table) : new MemoryLog(this.undo, table)
    this.tables.set(table.name, kept)
    return kept
  })
  private restoreNote: string | undefined

  /** The note of an unfinished restore. */
  get note(): string | undefined {
    return this.restoreNote
  }

  set note(note: string | undefined) {
    const before = this.restoreNote
    this.undo.push(() => {
      this.restoreNote = before
    })
    this.restoreNote = note
  }

  override transaction(body: () => boolean): void {
    const mark = this.undo.length
    this.depth++
    const keep = body()
    this.depth--
    if (!keep) {
      for (const step of this.undo.splice(mark).reverse()) step()
      // The steps change tables too, and so add steps of their own.
      this.undo.length = mark
    } else if (this.depth === 0) {
      this.undo.length = 0
    }
  }

  /** How many rows each table has. */
  counts(): { readonly [Name in TableName]: number } {
    const sizes = [...this.tables].map(([name, { size }]) => [name, size])
    return { ...Object.fromEntries(sizes), events: this.events.size }
  }

  /** Messages about tables whose indexes do not agree with their rows. */
  problems(): ReadonlyArray<string> {
    return [...this.tables.values()].flatMap((table) => (table instanceof MemoryTable ? table.problems() : []))
  }
}
