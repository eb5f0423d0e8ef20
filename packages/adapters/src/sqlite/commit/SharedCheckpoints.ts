import type { Connection } from "../connection/Connection.ts"
import { pagesInLog } from "../connection/configure.ts"

/** Pages (64 MiB) in the log from which on a checkpoint keeps others from writing, until the log begins anew. */
const mostPagesInLog = 4 * pagesInLog

/**
 * Moves the log into the file while several processes write.
 *
 * The checkpoint that SQLite makes after a commit lets others write. If they always do, then it never reaches the end of the log, so
 * that the log grows without an end, and each commit makes a checkpoint, with two more syncs. So while there are others, a process
 * that finds the log very long keeps them from writing until the rest of it is moved.
 *
 * A commit stays valid whatever happens here: a checkpoint that fails is made again after the next one.
 */
export class SharedCheckpoints {
  private readonly writer: Connection
  private areShared = false
  /** How many pages of the log are not in the file yet. */
  private unmoved = 0

  constructor(writer: Connection) {
    this.writer = writer
  }

  /** Before a commit: whether other processes write, too. */
  beforeCommit(areShared: boolean): void {
    if (areShared === this.areShared) return
    this.areShared = areShared
    this.writer.run(`PRAGMA wal_autocheckpoint = ${areShared ? 0 : pagesInLog}`)
  }

  /** After a commit, before others are woken: moves the rest of a very long log, so that it begins anew. */
  afterCommit(): void {
    const log = this.areShared ? this.checkpoint("NOOP") : 0
    // After a long read, hundreds of megabytes may be left: those are moved while others write.
    if (log >= mostPagesInLog && this.unmoved < pagesInLog) this.checkpoint("RESTART")
  }

  /** After others were woken: moves the log while they write. */
  afterWaking(): void {
    if (this.areShared && this.unmoved >= pagesInLog) this.checkpoint("PASSIVE")
  }

  /** Runs a checkpoint, and returns how many pages are in the log. */
  private checkpoint(mode: "NOOP" | "PASSIVE" | "RESTART"): number {
    try {
      const { checkpointed, log } = this.writer.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {}
      this.unmoved = Number(log) - Number(checkpointed)
      return Number(log)
    } catch {
      // The disk may be full.
      return 0
    }
  }
}
