import type { Connection } from "../connection/Connection.ts"
import { pagesInLog } from "../connection/configure.ts"

/** Pages (64 MiB) in the log from which on a checkpoint keeps others from writing, until the log begins anew. */
const mostPagesInLog = 4 * pagesInLog

/**
 * Moves the log into the file while several processes write.
 *
 * The checkpoint that SQLite makes after a commit does not keep others from writing. If they always do, then it never reaches the end
 * of the log, so that the log grows without an end, and each commit makes a checkpoint, with two more syncs. So while there are others,
 * a process that finds the log long keeps them waiting until it has moved all of it.
 */
export class SharedCheckpoints {
  private readonly writer: Connection
  private areShared = false

  constructor(writer: Connection) {
    this.writer = writer
  }

  /** Before a commit: whether other processes write, too. */
  beforeCommit(areShared: boolean): void {
    if (areShared === this.areShared) return
    this.areShared = areShared
    this.writer.run(`PRAGMA wal_autocheckpoint = ${areShared ? 0 : pagesInLog}`)
  }

  /** After a commit, which stays valid whatever happens here: a checkpoint that fails is made again after the next one. */
  afterCommit(): void {
    if (!this.areShared) return
    try {
      let { log, unmoved } = this.checkpoint("NOOP")
      if (unmoved >= pagesInLog) ({ log, unmoved } = this.checkpoint("PASSIVE"))
      // After a long read, hundreds of megabytes may be left: those are moved while others write, too.
      if (log >= mostPagesInLog && unmoved < pagesInLog) this.checkpoint("RESTART")
    } catch {
      // The disk may be full.
    }
  }

  /** Runs a checkpoint, and returns how many pages are in the log, and how many of them are not in the file yet. */
  private checkpoint(mode: "NOOP" | "PASSIVE" | "RESTART"): { readonly log: number; readonly unmoved: number } {
    const { checkpointed, log } = this.writer.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {}
    return { log: Number(log), unmoved: Number(log) - Number(checkpointed) }
  }
}
