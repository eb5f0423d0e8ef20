import type { CheckResult } from "@petstore/core"
import { Petstore } from "@petstore/core/effect"
import { VerificationProgress } from "@petstore/core/ports"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { openExisting } from "../database.ts"
import { SubcommandFailed } from "../errors.ts"
import { type Database, type SecretKeys, withSecretKeys } from "../settings.ts"
import { Progress } from "../terminal/Progress.ts"
import { outputWidth, type Style, style, wrap } from "../terminal/text.ts"

interface VerifyInput {
  readonly database: Database
  readonly secretKeys: SecretKeys
  /** Whether the result is stored. */
  readonly record: boolean
  readonly json: boolean
}

const indent = 8

/** A mark in the first column, and a text beside it, wrapped to the width. */
const item = (mark: string, coloured: string, text: string, width: number): ReadonlyArray<string> =>
  wrap(text, width - indent).map(
    (line, index) => (index === 0 ? coloured + " ".repeat(indent - mark.length) : " ".repeat(indent)) + line
  )

/** The lines for one invariant, wrapped to the width except for offending rows. */
export const toLines = (
  { checked, examples, rule, violations }: CheckResult,
  apply: Style,
  width: number
): ReadonlyArray<string> => {
  if (violations === 0) return item("ok", apply("green", "ok"), `${rule} (${checked} checked)`, width)
  const more = violations - examples.length
  return [
    ...item("BROKEN", apply(["red", "bold"], "BROKEN"), `${rule} (${violations} of ${checked})`, width),
    ...examples.map((row) => `          ${JSON.stringify(row)}`),
    ...(more > 0 ? [`          and ${more} more`] : [])
  ]
}

/** Prints a summary, then every invariant with its counts and the rows that break it. Fails if one is broken. */
export const run = ({ database, json, record, secretKeys }: VerifyInput) =>
  Effect.gen(function* () {
    const petstore = yield* Petstore
    const apply = yield* style
    const progress = new Progress(process.stderr, { now: () => performance.now(), style: apply })
    const report = yield* petstore.verify.pipe(
      Effect.provideService(VerificationProgress, (share) => progress.show("verified", share)),
      Effect.ensuring(Effect.sync(() => progress.clear()))
    )
    const violations = report.checks.reduce((sum, check) => sum + check.violations, 0)
    const summary = `${violations} violations of ${report.checks.length} invariants`
    yield* Console.log(
      json
        ? JSON.stringify(report, null, 2)
        : [
            apply(report.ok ? "green" : ["red", "bold"], summary),
            ...report.checks.flatMap((check) => toLines(check, apply, outputWidth()))
          ].join("\n")
    )
    // After it is printed, since a damaged store may store nothing.
    if (record) yield* petstore.recordVerification(report)
    if (!report.ok) return yield* new SubcommandFailed({})
  }).pipe(Effect.provide(openExisting(database, withSecretKeys(secretKeys))))
