/** Milliseconds for which groups do not wait for a row that another transaction kept for long. */
const memoryMillis = 10_000

/**
 * The rows that other transactions have kept for longer than a group waits. The next groups do not wait for them, so that
 * a transaction that stays open, such as one of the host application, holds up only those that want the same row.
 */
export class ContendedRows {
  private readonly until = new Map<string, number>()
  private readonly now: () => number

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  has(table: string, key: number | string): boolean {
    const until = this.until.get(nameOf(table, key))
    return until !== undefined && until > this.now()
  }

  /** Notes a row. One that is known stays known for no longer: groups then find out again whether they have to wait for it. */
  add(table: string, key: number | string): void {
    const now = this.now()
    for (const [name, until] of this.until) if (until <= now) this.until.delete(name)
    const name = nameOf(table, key)
    if (!this.until.has(name)) this.until.set(name, now + memoryMillis)
  }
}

const nameOf = (table: string, key: number | string): string => `${table} ${key}`
