import type { Outcome } from "../../packages/adapters/test/support/failingCalls/faultRuns.ts"

interface Row {
  runs: number
  /** Runs in which all calls succeeded nevertheless. */
  unnoticed: number
  rejected: number
  findings: number
}

/** Counts runs by the kind of call that failed. */
export class FaultTable {
  private readonly rows = new Map<string, Row>()

  add({ fault, findings, run }: Outcome): void {
    const kind = fault.of === "call" ? run.failed?.split(" ")[0] : run.failed?.match(/^(prepare )?\w+/)?.[0]
    const row = this.rows.get(`${fault.of} ${kind ?? "?"}`) ?? { runs: 0, unnoticed: 0, rejected: 0, findings: 0 }
    this.rows.set(`${fault.of} ${kind ?? "?"}`, row)
    row.runs++
    if (findings.length > 0) row.findings++
    else if (run.lines.some((line) => line.startsWith("rejected "))) row.rejected++
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
