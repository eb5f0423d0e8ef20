import type { Check } from "./checks.ts"
import type { Journal } from "./Journal.ts"
import type { Round } from "./Round.ts"

const columns = [
  "round",
  "time    ",
  "leader",
  "fault ",
  "next",
  "outage s",
  "orders",
  "failed attempts",
  "longest request s"
] as const

const row = (cells: ReadonlyArray<string>): string =>
  cells.map((cell, at) => cell.padStart(columns[at]?.length ?? 0)).join("  ")

export const heading = row(columns)

/** A line of the table, and below it what was wrong in the round. */
export const rowOf = (
  number: number,
  { acknowledged, failures, fault, leader, longest, outage, time, victim, violations }: Round
) =>
  [
    row([
      String(number),
      time,
      victim,
      fault,
      leader,
      outage.toFixed(1),
      String(acknowledged),
      String(failures),
      longest.toFixed(1)
    ]),
    ...violations.map((violation) => `  VIOLATION ${violation}`)
  ].join("\n")

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`

/** Seconds for a request, whatever has become of the database: those of a call that queued behind one that hung, and to connect. */
const requestLimit = 25

const hanging = ({ attempts }: Journal): Check => {
  const longest = Math.max(0, ...sortedAttempts(attempts).slice(-1)) / 1000
  return {
    name: `every request had a response within ${requestLimit} s`,
    violations: longest > requestLimit ? [`the longest took ${longest.toFixed(1)} s`] : []
  }
}

const sortedAttempts = (attempts: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...attempts].sort((one, other) => one - other)

/** The result of the whole run. */
export const summary = (
  rounds: ReadonlyArray<Round>,
  journal: Journal,
  checks: ReadonlyArray<Check>
): { readonly text: string; readonly violations: number } => {
  const all = [...checks, hanging(journal)]
  const sorted = sortedAttempts(journal.attempts)
  const outages = rounds.map(({ outage }) => outage).sort((one, other) => one - other)
  const failures = [...journal.failures].map(([code, count]) => `${count} ${code}`).join(", ")
  const inRounds = rounds.reduce((sum, { violations }) => sum + violations.length, 0)
  return {
    violations: inRounds + all.reduce((sum, { violations }) => sum + violations.length, 0),
    text: [
      "",
      `${rounds.length} rounds, ${journal.acknowledged.length} orders acknowledged, ${journal.refused.length} refused, ${journal.completed.size} completed`,
      `failed attempts, each retried under its key: ${failures === "" ? "none" : failures}`,
      `request: median ${milliseconds(percentile(sorted, 0.5))}, 99 % ${milliseconds(percentile(sorted, 0.99))}, longest ${milliseconds(sorted.at(-1) ?? 0)}`,
      `outage: shortest ${outages[0]?.toFixed(1)} s, longest ${outages.at(-1)?.toFixed(1)} s`,
      ...all.flatMap(({ name, violations }) => [
        `${violations.length === 0 ? "ok       " : "VIOLATION"} ${name}`,
        ...violations.map((violation) => `          ${violation}`)
      ])
    ].join("\n")
  }
}
