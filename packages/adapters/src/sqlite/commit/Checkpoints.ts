import type { Connection } from "../connection/Connection.ts"
import type { DatabaseFiles } from "../connection/DatabaseFiles.ts"

/** Pages (16 MiB) in the log before they move to the file. Orders touch pages all over it: fewer, larger moves are faster. */
export const pagesInLog = 4000

/** Pages (64 MiB) in the log from which on a checkpoint keeps others from writing, until the log begins anew. */
const mostPagesInLog = 4 * pagesInLog

/**
 * Moves the log into the file. SQLite would do that within a commit, before anything shows whether the log is still whole.
 *
 * A checkpoint lets others write. If they always do, then it never reaches the end of the log, so that the log grows without an end,
 * and each commit makes a checkpoint, with two more syncs. So while there are others, a process that finds the log very long keeps them
 * from writing until the rest of it is moved.
 *
 * A commit stays valid whatever happens here: a checkpoint that fails is made again after the next one.
 */
export class Checkpoints {
  private readonly writer: Connection
  private readonly files: Pick<DatabaseFiles, "areLost" | "pagesInLog">
  private pages = { all: 0, unmoved: 0 }

  constructor(writer: Connection, files: Pick<DatabaseFiles, "areLost" | "pagesInLog">) {
    this.writer = writer
    this.files = files
  }

  /** After a commit, before others are woken: moves the rest of a very long log, so that it begins anew. */
  afterCommit(areShared: boolean): void {
    this.pages = this.files.pagesInLog
    const { all, unmoved } = this.pages
    // After a long read, hundreds of megabytes may be left: those are moved while others write.
    if (areShared && all >= mostPagesInLog && unmoved < pagesInLog) this.checkpoint("RESTART")
  }

  /** After others were woken: moves the log while they write. */
  afterWaking(areShared: boolean): void {
    const { all, unmoved } = this.pages
    if (areShared ? unmoved >= pagesInLog : all >= pagesInLog && unmoved > 0) this.checkpoint("PASSIVE")
  }

  private checkpoint(mode: "PASSIVE" | "RESTART"): void {
    // What is left of a log that was lost would be moved over the pages of the file.
    if (this.files.areLost) return
    try {
      const { checkpointed, log } = this.writer.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {}
      this.pages = { all: Number(log), unmoved: Number(log) - Number(checkpointed) }
    } catch {
      // The disk may be full.
    }
  }
}
