import { copyOfData } from "../adapter-toolkit/copyOfData.ts"
import { SynchronousDatabase } from "../adapter-toolkit/SynchronousDatabase.ts"
import type { EventRecord } from "../ports/EventRows.ts"
import { MemoryTable } from "./MemoryTable.ts"
import { tables } from "./tables.ts"

/** The rows of one database, which several stores may share. Each change adds a step that undoes it on rollback. */
export class MemoryDatabase extends SynchronousDatabase {
  private readonly undo: Array<() => void> = []
  private depth = 0
  readonly tables = tables(this.undo)
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
    if (this.depth === 0) this.tables.events.added = this.commits.isWatched ? [] : undefined
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

  override appended(): ReadonlyArray<EventRecord> | undefined {
    return this.tables.events.added?.map(
      ({ event: { data, id, subject, timestamp, type }, seq }) =>
        // In the order of a row of the log. One by one, its properties lose the type that ties the data to the type of event.
        ({ id, type, timestamp, seq, subject, data: copyOfData(data) }) as EventRecord
    )
  }

  /** Messages about tables whose indexes do not agree with their rows. */
  problems(): ReadonlyArray<string> {
    return Object.values(this.tables).flatMap((table) => (table instanceof MemoryTable ? table.problems() : []))
  }
}
