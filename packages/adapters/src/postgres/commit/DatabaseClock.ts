/** Milliseconds by which clocks that are synchronized never differ. */
const toleratedMillis = 60_000

/** Milliseconds by which a clock that is not set drifts between two measurements at most. */
const driftMillis = 1_000

/** How far the clock of the database is ahead of that of this machine, which may be set at any time. */
export class DatabaseClock {
  private readonly report: (problem: string) => void
  private offset = 0
  /** {@link lead} at the last measurement. */
  private measuredLead = lead()
  private isReported = false

  /** `report` receives the first of several problems in a row. */
  constructor(report: (problem: string) => void) {
    this.report = report
  }

  /** Whether the clock of this machine was set since the last measurement, or the machine has slept: {@link ahead} cannot know which. */
  get wasSet(): boolean {
    return Math.abs(lead() - this.measuredLead) >= driftMillis
  }

  /** Milliseconds that the clock of the database is ahead: as measured, whatever was done to the clock of this machine since. */
  readonly ahead = (): number => {
    return this.wasSet ? Math.round(this.offset - lead() + this.measuredLead) : this.offset
  }

  /** Measures again. `read`: milliseconds of the clock of the database. Only a difference that the time of the read does not explain counts. */
  async measure(read: () => Promise<number>): Promise<void> {
    const since = performance.now()
    const database = await read()
    const took = Math.ceil(performance.now() - since)
    const offset = this.ahead()
    this.measuredLead = lead()
    // As the clock is set now, if it was set during the read.
    const before = Math.floor(since + this.measuredLead)
    // Milliseconds of both clocks are whole.
    this.offset = Math.min(Math.max(offset, database - before - took - 1), database - before + 1)
    const { problem } = this
    if (problem !== undefined && !this.isReported) this.report(problem)
    this.isReported = problem !== undefined
  }

  /** Why this machine should not serve: its clock is wrong by more than a minute, or that of the database. */
  get problem(): string | undefined {
    if (Math.abs(this.offset) <= toleratedMillis) return undefined
    const seconds = Math.round(Math.abs(this.offset) / 1000)
    return `The clock of this machine is ${seconds} seconds ${this.offset < 0 ? "ahead of" : "behind"} the clock of the database, which counts for all times. Synchronize both.`
  }
}

/** By how many milliseconds the clock of this machine leads one that is never set. */
const lead = (): number => Date.now() - performance.now()
