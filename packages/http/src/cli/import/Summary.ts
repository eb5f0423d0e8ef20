import { type Counts, rowsOf } from "./importPets.ts"
import type { SourceRow } from "./SourceRow.ts"

const shownReasons = 10

/** How many rows there are of a kind, and on which line the first one begins. */
interface Tally {
  readonly count: number
  readonly line: number
}

const shownTally = (name: string, { count, line }: Tally): ReadonlyArray<string> =>
  count === 0 ? [] : [`${name} ${count}, the first on line ${line}`]

/** What was found in the rows of a file. */
export class Summary {
  private readonly reasons = new Map<string, number>()
  private blank: Tally = { count: 0, line: 0 }
  private spanning: Tally = { count: 0, line: 0 }

  onRead({ isBlank, line, spansLines }: SourceRow): void {
    const after = (tally: Tally): Tally => ({ count: tally.count + 1, line: tally.line || line })
    if (isBlank === true) this.blank = after(this.blank)
    else if (spansLines === true) this.spanning = after(this.spanning)
  }

  onRejected(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1)
  }

  /** The lines that an import prints at its end. `list`: the file of rejected rows. */
  text(counts: Counts, dryRun: boolean, list: string | undefined): string {
    const frequent = [...this.reasons].sort(([, a], [, b]) => b - a)
    const others = frequent.slice(shownReasons).reduce((sum, [, count]) => sum + count, 0)
    return [
      `${dryRun ? "would import" : "imported"} ${counts.imported}`,
      `${dryRun ? "categories named" : "categories created"} ${counts.categories}`,
      `rejected ${counts.rejected}${list === undefined || counts.rejected === 0 ? "" : `, listed in ${list}`}`,
      ...frequent.slice(0, shownReasons).map(([reason, count]) => `  ${rowsOf(count)}: ${reason}`),
      ...(others === 0 ? [] : [`  ${rowsOf(others)}: other reasons`]),
      ...shownTally("blank rows", this.blank),
      ...shownTally("rows over several lines", this.spanning)
    ].join("\n")
  }
}
