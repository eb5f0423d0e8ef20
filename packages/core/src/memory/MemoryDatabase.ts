import { SynchronousDatabase } from "../adapter-toolkit/SynchronousDatabase.ts"
import { MemoryRows } from "./MemoryRows.ts"

/** The rows of one database, which several stores may share. Each change adds a step that undoes it on rollback. */
export class MemoryDatabase extends SynchronousDatabase {
  private readonly undo: Array<() => void> = []
  private depth = 0
  readonly rows = new MemoryRows(this.undo)
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

  /** Messages about tables whose indexes do not agree with their rows. */
  problems(): ReadonlyArray<string> {
    return this.rows.problems()
  }
}
