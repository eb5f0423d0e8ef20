interface Row {
  runs: number
  /** Runs in which all calls succeeded nevertheless. */
  unnoticed: number
  rejected: number
  findings: number
}

/** Counts runs by the kind of their fault. */
export class FaultTable {
  private readonly rows = new Map<string, Row>()

  add(kind: string, hasFindings: boolean, isRejected: boolean): void {
    const row = this.rows.get(kind) ?? { runs: 0, unnoticed: 0, rejected: 0, findings: 0 }
    this.rows.set(kind, row)
    row.runs++
    if (hasFindings) row.findings++
    else if (isRejected) row.rejected++
    else row.unnoticed++
  }

  get runs(): number {
    return this.sum("runs")
  }

  get findings(): number {
    return this.sum("findings")
  }

  get text(): string {
    const rows = [...this.rows].toSorted(([one], [other]) => one.localeCompare(other))
    const lines = rows.map(([kind, { findings, rejected, runs, unnoticed }]) =>
      [kind.padEnd(30), ...[runs, unnoticed, rejected, findings].map((number) => `${number}`.padStart(10))].join("")
    )
    return [
      ["failing".padEnd(30), ...["runs", "unnoticed", "rejected", "findings"].map((word) => word.padStart(10))].join(
        ""
      ),
      ...lines
    ].join("\n")
  }

  private sum(column: keyof Row): number {
    return [...this.rows.values()].reduce((sum, row) => sum + row[column], 0)
  }
}
