import { SynchronousDatabase } from "../adapter-toolkit/SynchronousDatabase.ts"
import { type KeptRows, SynchronousRows } from "../adapter-toolkit/SynchronousRows.ts"
import type { ListIndex } from "../domain/records/ListIndex.ts"
import type { TableName } from "../ports/Restore.ts"
import { tableIndexesOf } from "../tables/index.ts"
import { EventLog } from "./EventLog.ts"
import { MemoryLog } from "./MemoryLog.ts"
import { MemoryTable } from "./MemoryTable.ts"

/** The rows of one database, which several stores may share. Each change adds a step that undoes it on rollback. */
export class MemoryDatabase extends SynchronousDatabase {
  private readonly undo: Array<() => void> = []
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

  buildIndexes(lists: ReadonlyArray<ListIndex>, dropsOthers: boolean): void {
    const indexes = tableIndexesOf(lists)
    const isOfSubjects = lists.includes("events.subject")
    if (isOfSubjects || dropsOthers) this.events.indexSubjects(isOfSubjects)
    for (const { name, table } of indexes) {
      const kept = this.tables.get(table.name)
      if (kept instanceof MemoryTable) kept.build(table, name)
    }
    if (!dropsOthers) return
    const names = new Set(indexes.map(({ name, table }) => `${table.name} ${name}`))
    for (const kept of this.tables.values()) if (kept instanceof MemoryTable) kept.keepIndexes(names)
  }

  override transaction<A>(work: () => A): A {
    try {
      return work()
    } catch (thrown) {
      for (const step of this.undo.splice(0).reverse()) step()
      throw thrown
    } finally {
      // The steps change tables too, and so add steps of their own.
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
