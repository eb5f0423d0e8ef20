import { type ProofReport, sentencesOf } from "../../packages/http/src/cli/prove/ProofReport.ts"
import type { ServerLoad } from "../load/ServerLoad.ts"
import { quantile } from "../measure/statistics.ts"
import type { Check } from "./checks.ts"
import type { Round } from "./Round.ts"

const columns = [
  "round",
  "time    ",
  "leader",
  "fault ",
  "next",
  "outage s",
  "calls",
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

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`

/** The result of the whole run. */
export const summary = (
  rounds: ReadonlyArray<Round>,
  { attempts }: ServerLoad,
  proof: ProofReport,
  checks: ReadonlyArray<Check>
): { readonly text: string; readonly violations: number } => {
  const times = attempts.map(({ at, sentAt }) => at - sentAt)
  const outages = rounds.map(({ outage }) => outage)
  const found = [...rounds, ...checks].reduce((sum, { violations }) => sum + violations.length, 0)
  return {
    violations: found + proof.findings.length + proof.unknown,
    text: [
      "",
      ...sentencesOf(proof),
      `request: median ${milliseconds(quantile(times, 0.5))}, 99 % ${milliseconds(quantile(times, 0.99))}, longest ${milliseconds(quantile(times, 1))}`,
      `outage: shortest ${quantile(outages, 0).toFixed(1)} s, longest ${quantile(outages, 1).toFixed(1)} s`,
      ...checks.flatMap(({ name, violations }) => [
        `${violations.length === 0 ? "ok       " : "VIOLATION"} ${name}`,
        ...violations.map((violation) => `          ${violation}`)
      ])
    ].join("\n")
  }
}
