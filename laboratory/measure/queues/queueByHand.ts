import { type Database, prepare } from "../peers/Database.ts"

/** Milliseconds that a claim lasts. */
const lease = 30_000

/** A message that waits for its commit. */
interface Queued {
  readonly message: string
  readonly also: () => void
  readonly resolve: () => void
}

interface Handling {
  readonly handle: (message: string) => unknown
  /** How many messages are in work at the same time. */
  readonly concurrency: number
}

/**
 * A durable queue as a good engineer writes it: a row with a number and two indexes, and one commit for all that the turn of the event loop
 * brings. It has no events, no list by status, and no messages that fail. `also` runs in the transaction of a message.
 */
export const queueByHand = (database: Database, handling?: Handling) => {
  database.exec(`
    CREATE TABLE queue (
      id INTEGER PRIMARY KEY, message TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER,
      created_at INTEGER NOT NULL, finished_at INTEGER
    ) STRICT;
    CREATE INDEX queue_due ON queue (due_at, id) WHERE status = 'queued';
    CREATE INDEX queue_finished ON queue (finished_at) WHERE status = 'delivered'`)
  const [begin, commit] = [prepare(database, "BEGIN IMMEDIATE"), prepare(database, "COMMIT")]
  const insert = prepare(
    database,
    "INSERT INTO queue (message, status, attempts, due_at, created_at) VALUES (?, 'queued', 0, ?, ?)"
  )
  const selectDue = prepare<{ readonly id: number; readonly message: string }>(
    database,
    "SELECT id, message FROM queue WHERE status = 'queued' AND due_at <= ? ORDER BY due_at, id LIMIT ?"
  )
  const claim = prepare(database, "UPDATE queue SET due_at = ?, attempts = attempts + 1 WHERE id = ?")
  const finish = prepare(
    database,
    "UPDATE queue SET status = 'delivered', due_at = NULL, finished_at = ? WHERE id = ? AND status = 'queued'"
  )
  let waiting: Array<Queued> = []
  let ended: Array<number> = []
  let [isScheduled, inWork] = [false, 0]

  const turn = (): void => {
    isScheduled = false
    const [queued, finished, now] = [waiting, ended, Date.now()]
    waiting = []
    ended = []
    begin.run()
    for (const { also, message } of queued) {
      also()
      insert.run(message, now, now)
    }
    for (const id of finished) finish.run(now, id)
    const free = handling === undefined ? 0 : handling.concurrency - inWork
    const claimed = free === 0 ? [] : selectDue.all(now, free)
    for (const { id } of claimed) claim.run(now + lease, id)
    commit.run()
    for (const { resolve } of queued) resolve()
    for (const { id, message } of claimed) {
      inWork++
      void Promise.resolve(handling?.handle(message)).then(() => {
        inWork--
        ended.push(id)
        schedule()
      })
    }
  }
  const schedule = (): void => {
    if (!isScheduled) setImmediate(turn)
    isScheduled = true
  }
  return (message: string, also = () => {}): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ message, also, resolve })
      schedule()
    })
}
