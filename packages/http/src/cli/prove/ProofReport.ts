import { callsOf, type Finding, findingKinds, judge, type StoredState } from "./judge.ts"
import type { Command, Proof } from "./ProofLog.ts"

/** What a proof found, as `--json` prints it. */
export interface ProofReport {
  readonly ok: boolean
  readonly schema: string
  readonly calls: number
  /** Acknowledged calls by what they did. */
  readonly acknowledged: Readonly<Record<Command["type"], number>>
  /** Orders that were rejected because a pet was sold out. */
  readonly rejected: number
  /** Calls without a result: each took effect once, or not at all. */
  readonly unknown: number
  /** Attempts that failed and were repeated, by their code. */
  readonly failedAttempts: Readonly<Record<string, number>>
  /** The longest time in which nothing was acknowledged, in milliseconds. */
  readonly longestGap: number
  /** How many findings there are of each kind. */
  readonly counts: Readonly<Record<Finding["kind"], number>>
  readonly findings: ReadonlyArray<Finding>
}

const countBy = <A>(items: ReadonlyArray<A>, nameOf: (item: A) => string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1
  return counts
}

/** Judges a proof by its log and by what the cluster has. */
export const reportOf = ({ entries, schema }: Proof, stored: StoredState): ProofReport => {
  const calls = callsOf(entries)
  const findings = judge(entries, stored)
  const acknowledged = calls.filter((call) => call.acknowledged.length > 0)
  const times = entries.flatMap((entry) => (entry.type === "acknowledged" ? [entry.at] : []))
  const gaps = times.map((at, index) => at - (times[index - 1] ?? at))
  const ofKind = countBy(findings, ({ kind }) => kind)
  const ofType = countBy(acknowledged, ({ command }) => command.type)
  return {
    ok: findings.length === 0 && acknowledged.length > 0,
    schema,
    calls: calls.length,
    acknowledged: {
      place: ofType.place ?? 0,
      complete: ofType.complete ?? 0,
      cancel: ofType.cancel ?? 0,
      receive: ofType.receive ?? 0
    },
    rejected: calls.filter(({ rejected }) => rejected !== undefined).length,
    unknown: calls.filter((call) => call.acknowledged.length === 0 && call.rejected === undefined).length,
    failedAttempts: countBy(
      entries.flatMap((entry) => (entry.type === "failed" ? [entry] : [])),
      ({ code }) => code
    ),
    longestGap: gaps.reduce((longest, gap) => Math.max(longest, gap), 0),
    counts: {
      lost: ofKind.lost ?? 0,
      doubled: ofKind.doubled ?? 0,
      oversold: ofKind.oversold ?? 0,
      unexpected: ofKind.unexpected ?? 0,
      invariant: ofKind.invariant ?? 0
    },
    findings
  }
}

/** More findings of a kind say nothing new. */
const shownFindings = 10

const labels: Readonly<Record<Finding["kind"], string>> = {
  lost: "Lost",
  doubled: "Doubled",
  oversold: "Oversold",
  unexpected: "Unexpected",
  invariant: "Broken invariants"
}

const conclusionOf = ({ acknowledged, counts, ok }: ProofReport): string => {
  if (ok) return "Every acknowledged call took effect, once."
  if (Object.values(acknowledged).every((count) => count === 0))
    return "Nothing was acknowledged, so nothing is proved."
  const broken = findingKinds.filter((kind) => counts[kind] > 0).map((kind) => labels[kind].toLowerCase())
  return `The cluster did not keep its promises: ${broken.join(", ")}.`
}

/** The report as sentences, one a line. */
export const sentencesOf = (report: ProofReport): ReadonlyArray<string> => {
  const { acknowledged, calls, counts, failedAttempts, findings, longestGap, rejected, unknown } = report
  const failed = Object.entries(failedAttempts).map(([code, count]) => `${count} with ${code}`)
  return [
    `Clients made ${calls} calls. ${acknowledged.place} orders were placed, ${acknowledged.complete} completed and ${acknowledged.cancel} cancelled, and stock was received ${acknowledged.receive} times.`,
    `${rejected} calls were rejected, and ${unknown} have no result.`,
    failed.length === 0 ? "No attempt failed." : `Attempts that failed and were repeated: ${failed.join(", ")}.`,
    `The longest time without an acknowledgement was ${(longestGap / 1000).toFixed(1)} s.`,
    ...findingKinds.flatMap((kind) => {
      const messages = findings.filter((finding) => finding.kind === kind).map(({ message }) => `  ${message}`)
      const more = messages.length - shownFindings
      return [
        `${labels[kind]}: ${counts[kind] === 0 ? "none" : counts[kind]}`,
        ...messages.slice(0, shownFindings),
        ...(more > 0 ? [`  and ${more} more`] : [])
      ]
    }),
    conclusionOf(report)
  ]
}
