import { PetstoreError } from "@petstore/core"
import { checkEffect } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { type Call, reading, type Step, sequence } from "./calls.ts"
import { Ids } from "./Ids.ts"
import { Rejected } from "./rest.ts"
import type { Caller, Opened, Ways } from "./ways.ts"

/** Where a way differs from the first one. */
export interface Difference {
  readonly way: string
  readonly seed: number
  /** The shortest sequence that was found. */
  readonly steps: ReadonlyArray<Step>
  /** What was asked for, and what came of it. */
  readonly call: string
  readonly expected: string | undefined
  readonly actual: string | undefined
}

/** In requests over HTTP an id is in the path. */
const errorOf = (error: unknown): unknown =>
  error instanceof Rejected || error instanceof PetstoreError
    ? JSON.parse(JSON.stringify(error).replaceAll("/path/", "/"))
    : String(error)

/** PostgreSQL measures reservations by its own clock, which may be milliseconds from ours. */
const toSeconds = (text: string): string =>
  text.replace(/"expiresAt":"([^"]+)"/g, (_, time: string) => {
    const rounded = new Date(Math.round(Date.parse(time) / 1000) * 1000)
    return `"expiresAt":"${rounded.toISOString()}"`
  })

/**
 * What is left of a result behind other calls of a transaction. One of the petstore shows movements and counts as they are committed, one
 * of a host those that it has made itself as well.
 */
const behindOthers = ({ method }: Call, value: unknown): unknown =>
  method === "inventory.movements"
    ? null
    : Reflect.has(Object(value), "total")
      ? { ...Object(value), total: null }
      : value

type Outcome = readonly [call: string, outcome: string]

/** Makes the calls one after the other, then reads all lists and all events. */
const outcomesOf = async (
  { call, transaction }: Opened,
  steps: ReadonlyArray<Step>
): Promise<ReadonlyArray<Outcome>> => {
  const ids = new Ids()
  const outcomes: Array<Outcome> = []
  const make = async (step: Step, caller: Caller): Promise<void> => {
    for (const each of step) {
      const value: unknown = await caller(each.method, ids.meant(each))
      const compared = each === step[0] ? value : behindOthers(each, value)
      outcomes.push([JSON.stringify(each), toSeconds(JSON.stringify(ids.seen(each, compared ?? null, true)))])
    }
  }
  for (const step of steps) {
    const { length } = outcomes
    const forget = ids.mark()
    try {
      await (step.length === 1 ? make(step, call) : transaction?.((caller) => make(step, caller)))
    } catch (error) {
      const failed = step[outcomes.length - length] ?? step[0]
      if (failed !== undefined)
        outcomes.push([JSON.stringify(step), JSON.stringify(ids.seen(failed, errorOf(error), false))])
      // Nothing of a transaction has happened if a call in it fails.
      forget()
    }
  }
  for (const method of reading) {
    await make([{ method, input: [{ limit: 7 }] }], call)
    while (ids.hasNext(method)) await make([{ method, input: [{ limit: 7, cursor: "next" }] }], call)
  }
  return outcomes
}

const differenceOf = (
  ways: Ways,
  steps: ReadonlyArray<Step>
): Effect.Effect<Omit<Difference, "seed" | "steps"> | undefined> =>
  Effect.gen(function* () {
    const hasTransactions = steps.some(({ length }) => length > 1)
    let first: ReadonlyArray<Outcome> | undefined
    // One after the other: together they took ten times as long.
    for (const [way, open] of Object.entries(ways)) {
      const outcomes = yield* Effect.scoped(
        Effect.flatMap(open, (opened) =>
          Effect.promise(async () =>
            hasTransactions && opened.transaction === undefined ? undefined : outcomesOf(opened, steps)
          )
        )
      )
      const place = outcomes?.findIndex(([, outcome], index) => first && first[index]?.[1] !== outcome) ?? -1
      const [call, actual] = outcomes?.[place] ?? []
      if (call !== undefined) return { way, call, expected: first?.[place]?.[1], actual }
      first ??= outcomes
    }
    return undefined
  })

/** Runs the sequence of a seed in each way. If one differs from the first, shortens the sequence as long as it does. */
export const compare = (ways: Ways, seed: number): Effect.Effect<Difference | undefined> =>
  Effect.gen(function* () {
    let compared = ways
    const result = yield* checkEffect(
      sequence,
      (steps) =>
        Effect.map(differenceOf(compared, steps), (difference) => {
          if (difference !== undefined) {
            const both = Object.entries(ways).filter(([name], place) => place === 0 || name === difference.way)
            compared = Object.fromEntries(both)
          }
          return difference === undefined
        }),
      { runs: 1, seed, size: 40, maxShrinks: 500 }
    )
    if (result._tag !== "Falsified") return undefined
    const difference = yield* differenceOf(compared, result.shrunkInput)
    return difference && { ...difference, seed, steps: result.shrunkInput }
  })
