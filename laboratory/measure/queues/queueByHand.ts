import { DatabaseSync } from "node:sqlite"

/** Milliseconds that a claim lasts. */
const lease = 30_000
/** How many messages are in work at the same time, as by default. */
const concurrency = 10

/** A message that waits for its commit. */
interface Queued {
  readonly message: string
  readonly resolve: () => void
}

/**
 * A durable queue as a good engineer writes it on `node:sqlite`: a row with a number and two indexes, and one commit for all that the
 * turn of the event loop brings. It has no events, no list by status, and no messages that fail.
 */
export const queueByHand = (file: string, onMessage?: (message: string) => void) => {
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
    CREATE TABLE queue (
      id INTEGER PRIMARY KEY, message TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER,
      created_at INTEGER NOT NULL, finished_at INTEGER
    ) STRICT;
    CREATE INDEX queue_due ON queue (due_at, id) WHERE status = 'queued';
    CREATE INDEX queue_finished ON queue (finished_at) WHERE status = 'delivered'`)
  const [begin, commit] = [database.prepare("BEGIN IMMEDIATE"), database.prepare("COMMIT")]
  const insert = database.prepare(
    "INSERT INTO queue (message, status, attempts, due_at, created_at) VALUES (?, 'queued', 0, ?, ?)"
  )
  const selectDue = database.prepare(
    "SELECT id, message FROM queue WHERE status = 'queued' AND due_at <= ? ORDER BY due_at, id LIMIT ?"
  )
  const claim = database.prepare("UPDATE queue SET due_at = ?, attempts = attempts + 1 WHERE id = ?")
  const finish = database.prepare(
    "UPDATE queue SET status = 'delivered', due_at = NULL, finished_at = ? WHERE id = ? AND status = 'queued'"
  )
  let waiting: Array<Queued> = []
  let ended: Array<number> = []
  let isScheduled = false

  const turn = (): void => {
    isScheduled = false
    const [queued, finished, now] = [waiting, ended, Date.now()]
    waiting = []
    ended = []
    begin.run()
    for (const { message } of queued) insert.run(message, now, now)
    for (const id of finished) finish.run(now, id)
    const claimed = onMessage === undefined ? [] : selectDue.all(now, concurrency)
    for (const { id } of claimed) claim.run(now + lease, Number(id))
    commit.run()
    for (const { resolve } of queued) resolve()
    for (const { id, message } of claimed) {
      onMessage?.(String(message))
      ended.push(Number(id))
    }
    if (claimed.length > 0) schedule()
  }
  const schedule = (): void => {
    if (!isScheduled) setImmediate(turn)
    isScheduled = true
  }
  return {
    enqueue: (message: string): Promise<void> =>
      new Promise((resolve) => {
        waiting.push({ message, resolve })
        schedule()
      }),
    close: async (): Promise<void> => {
      while (isScheduled) await new Promise((resolve) => setImmediate(resolve))
      database.close()
    }
  }
}
