import { parseArgs } from "node:util"
import type { Asked } from "./Lab.ts"
import type { Flags, Question, Values } from "./Question.ts"

/** What is asked for is not possible: its message says what to do. */
export class UsageError extends Error {}

/** What every question with rounds takes. */
export const common = {
  seed: { takes: "number", means: "of the first round; random if absent" },
  rounds: { takes: "number", means: "how many, each with the next seed" },
  minutes: { takes: "number", means: "begins no round afterwards" }
} as const satisfies Flags

type Arguments<F extends Flags = Flags> = Pick<Question<F>, "flags" | "rounds">

const flagsOf = ({ flags, rounds }: Arguments): Flags => ({ ...(rounds === undefined ? {} : common), ...flags })

/** The lines about the flags of a question. */
export const flagLines = (question: Arguments): ReadonlyArray<string> =>
  Object.entries(flagsOf(question)).map(
    ([flag, { means, takes }]) => `  --${flag}${takes === undefined ? "" : ` ${takes.toUpperCase()}`}  ${means}`
  )

const numberOf = (name: string, text: string): number => {
  const number = Number(text)
  if (text.trim() !== "" && number >= 0 && (name === "minutes" || Number.isSafeInteger(number))) return number
  throw new UsageError(`--${name} takes a number, not ${JSON.stringify(text)}`)
}

/** The rounds and the flags that a command line gives a question. */
export const parse = <F extends Flags>(args: ReadonlyArray<string>, question: Arguments<F>) => {
  const flags = flagsOf(question)
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { takes }]) => [
      name,
      { type: takes === undefined ? ("boolean" as const) : ("string" as const) }
    ])
  )
  const given = ((): Readonly<Record<string, unknown>> => {
    try {
      return parseArgs({ args: [...args], options }).values
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error))
    }
  })()
  const read = (name: string): unknown => {
    const [takes, value] = [flags[name]?.takes, given[name]]
    if (takes === undefined) return value === true
    return takes === "number" && typeof value === "string" ? numberOf(name, value) : value
  }
  const { minutes, rounds, seed, ...own } = Object.fromEntries(Object.keys(flags).map((name) => [name, read(name)]))
  return { asked: { minutes, rounds, seed } as Asked, flags: own as Values<F> }
}
