import { isRejected, type Outcome } from "./faultOutcomes.ts"

interface Row {
  runs: number
  /** Runs in which all calls succeeded nevertheless. */
  unnoticed: number
  rejected: number
  findings: number
  seconds: number
}

const columns = ["runs", "unnoticed", "rejected", "findings", "seconds"] as const

const lineOf = (name: string, values: ReadonlyArray<string | number>): string =>
  [name.padEnd(30), ...values.map((value) => `${value}`.padStart(10))].join("")

/** Counts runs by what failed in them. */
export class FaultTable {
  private readonly rows = new Map<string, Row>()

  add(name: string, outcome: Outcome<unknown>): void {
    const row = this.rows.get(name) ?? { runs: 0, unnoticed: 0, rejected: 0, findings: 0, seconds: 0 }
    this.rows.set(name, row)
    row.runs++
    row.seconds += outcome.seconds
    if (outcome.findings.length > 0) row.findings++
    else if (isRejected(outcome)) row.rejected++
    else row.unnoticed++
  }

  get runs(): number {
    return this.sum("runs")
  }

  get text(): string {
    const rows = [...this.rows].toSorted(([one], [other]) => one.localeCompare(other))
    return [
      lineOf("failing", columns),
      ...rows.map(([name, row]) =>
        lineOf(
          name,
          columns.map((column) => Math.round(row[column]))
        )
      )
    ].join("\n")
  }

  private sum(column: keyof Row): number {
    return [...this.rows.values()].reduce((sum, row) => sum + row[column], 0)
  }
}
