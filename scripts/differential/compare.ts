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

/** Over HTTP an id is in the path. */
const withPlaces = (body: unknown): unknown => JSON.parse(JSON.stringify(body).replaceAll("/path/", "/"))

const errorOf = (error: unknown): unknown => {
  if (error instanceof Rejected) return withPlaces(error.body)
  if (error instanceof PetstoreError) return withPlaces(error)
  return String(error)
}

/** PostgreSQL measures reservations by its own clock, which may be milliseconds from ours. */
const toSeconds = (text: string): string =>
  text.replace(/"expiresAt":"([^"]+)"/g, (_, time: string) => {
    const rounded = new Date(Math.round(Date.parse(time) / 1000) * 1000)
    return `"expiresAt":"${rounded.toISOString()}"`
  })

type Outcome = readonly [call: string, outcome: string]

/** Makes the calls one after the other, then reads all lists and all events. */
const outcomesOf = async (
  { call, transaction }: Opened,
  steps: ReadonlyArray<Step>
): Promise<ReadonlyArray<Outcome>> => {
  const ids = new Ids()
  const outcomes: Array<Outcome> = []
  const make = async (made: Call, caller: Caller): Promise<void> => {
    const value: unknown = await caller(made.method, ids.meant(made))
    outcomes.push([JSON.stringify(made), toSeconds(JSON.stringify(ids.seen(made, value ?? null, true)))])
  }
  for (const step of steps) {
    const [first, ...others] = step
    const length = outcomes.length
    await ids.unlessFailed(
      async () => {
        if (first !== undefined && others.length === 0) await make(first, call)
        else
          await transaction?.(async (caller) => {
            for (const each of step) await make(each, caller)
          })
      },
      (error) => {
        // Only the error of a transaction is seen, since nothing of it has happened.
        const failed = step[outcomes.length - length] ?? step[0]
        outcomes.splice(length)
        if (failed !== undefined)
          outcomes.push([JSON.stringify(step), JSON.stringify(ids.seen(failed, errorOf(error), false))])
      }
    )
  }
  for (const list of reading) {
    await make(list, call)
    const [{ limit }] = list.input as readonly [{ readonly limit: number }]
    while (ids.hasNext(list)) await make({ ...list, input: [{ limit, cursor: "next" }] }, call)
  }
  return outcomes
}

const differenceOf = (
  ways: Ways,
  steps: ReadonlyArray<Step>
): Effect.Effect<Omit<Difference, "seed" | "steps"> | undefined> =>
  Effect.gen(function* () {
    const hasTransactions = steps.some((step) => step.length > 1)
    const all = yield* Effect.forEach(
      Object.entries(ways),
      ([name, way]) =>
        Effect.scoped(
          Effect.flatMap(way, (opened) =>
            hasTransactions && opened.transaction === undefined
              ? Effect.succeed(undefined)
              : Effect.map(
                  Effect.promise(() => outcomesOf(opened, steps)),
                  (outcomes) => ({ name, outcomes })
                )
          )
        ),
      // One after the other: together they took ten times as long.
      { concurrency: 1 }
    )
    const [first, ...others] = all.filter((one) => one !== undefined)
    for (const { name, outcomes } of others) {
      const place = outcomes.findIndex(([, outcome], index) => first?.outcomes[index]?.[1] !== outcome)
      const [call, actual] = outcomes[place] ?? []
      if (call !== undefined) return { way: name, call, expected: first?.outcomes[place]?.[1], actual }
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
