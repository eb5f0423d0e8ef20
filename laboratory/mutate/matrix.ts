import { existsSync, readFileSync } from "node:fs"

/** A fault, and the groups of contracts and folders of unit tests that see it. */
export interface Finding {
  readonly fault: string
  readonly seenBy: ReadonlyArray<string>
}

/** What earlier runs have appended to a file, each finding in a new line; nothing if there is no file. */
export const readFindings = (file: string | undefined): ReadonlyArray<Finding> =>
  file === undefined || !existsSync(file)
    ? []
    : readFileSync(file, "utf8")
        .split("\n")
        // A run that was ended may have cut a line off.
        .filter((line) => line.endsWith("}"))
        .map((line): Finding => JSON.parse(line))

/** How many faults each sees, and how many of them nobody else; then the faults that nobody sees. */
export const summaryOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const all = findings.flatMap(({ seenBy }) => seenBy)
  const alone = findings.flatMap(({ seenBy }) => (seenBy.length === 1 ? seenBy : []))
  const timesIn = (names: ReadonlyArray<string>, name: string) => names.filter((other) => other === name).length
  const unseen = findings.filter(({ seenBy }) => seenBy.length === 0)
  return [
    ...[...new Set(all)]
      .sort((one, other) => timesIn(all, other) - timesIn(all, one) || one.localeCompare(other))
      .map((name) => `${name}: sees ${timesIn(all, name)}, alone ${timesIn(alone, name)}`),
    `Of ${findings.length} faults nobody sees ${unseen.length}`,
    ...unseen.map(({ fault }) => `  ${fault}`)
  ]
}
