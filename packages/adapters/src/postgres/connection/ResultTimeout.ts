// The timers stay real where a test replaces the global ones: the server does not know of them.
const { clearTimeout, setTimeout } = globalThis

interface Waiting {
  /** When its result must have arrived, as `performance.now()`. */
  readonly due: number
  readonly reject: (cause: Error) => void
}

/**
 * Ends the wait for results that do not arrive in time, for one connection. One timer serves all of its statements: a timer
 * for each costs more than many statements, and the one of `pg` keeps what waits for a result until the next full garbage
 * collection. Keep functions out of properties that are set for each statement: V8 allocates them among old objects, with all that they capture.
 */
export class ResultTimeout {
  private readonly waiting: Array<Waiting> = []
  private readonly onLate: () => void
  private timer: ReturnType<typeof setTimeout> | undefined
  private firesAt = Number.POSITIVE_INFINITY

  /** `onLate`: called when a result is late, after all waits have ended. */
  constructor(onLate: () => void) {
    this.onLate = onLate
  }

  /** Begins to wait for a result for this number of milliseconds. Returns what ends the wait when the result is there. */
  begin(limit: number, reject: (cause: Error) => void): () => void {
    const entry: Waiting = { due: performance.now() + limit, reject }
    this.waiting.push(entry)
    if (entry.due < this.firesAt) this.schedule(entry.due)
    return () => {
      // Results arrive in the order of the statements, except when one cannot be sent.
      const at = this.waiting.indexOf(entry)
      if (at >= 0) this.waiting.splice(at, 1)
    }
  }

  private schedule(due: number): void {
    clearTimeout(this.timer)
    this.firesAt = due
    this.timer = setTimeout(() => this.check(), Math.max(0, due - performance.now()) + 1)
    // A statement that is under way keeps its socket, and that the process.
    this.timer.unref()
  }

  private check(): void {
    this.firesAt = Number.POSITIVE_INFINITY
    if (this.waiting.length === 0) return
    const due = Math.min(...this.waiting.map((entry) => entry.due))
    if (due > performance.now()) this.schedule(due)
    else this.end()
  }

  private end(): void {
    const late = new Error("The server did not answer in time")
    for (const { reject } of this.waiting.splice(0)) reject(late)
    this.onLate()
  }
}
