// Asks questions about the engine: `npm run lab` lists them, `npm run lab -- NAME` asks one, `npm run lab -- night` those of the night.
// Exits with 1 if it finds what should not be.
import { spawnSync } from "node:child_process"
import { parseArgs } from "node:util"
import { installTools } from "../scripts/tools.ts"
import { type Asked, Lab } from "./Lab.ts"
import type { Flag, Flags, Question, Values } from "./Question.ts"
import { questions } from "./questions.ts"

class UsageError extends Error {}

const common = {
  seed: { takes: "number", means: "of the first round; random if absent" },
  rounds: { takes: "number", means: "how many, each with the next seed" },
  minutes: { takes: "number", means: "begins no round after so long" }
} as const satisfies Flags

const flagsOf = (question: Question): Flags => ({
  ...(question.rounds === undefined ? {} : common),
  ...question.flags
})

const numberOf = (name: string, text: string): number => {
  const number = Number(text)
  if (text.trim() !== "" && number >= 0 && (name === "minutes" || Number.isSafeInteger(number))) return number
  throw new UsageError(`--${name} takes a number, not ${JSON.stringify(text)}`)
}

const helpOf = (name: string, question: Question): string =>
  [
    `${name}: ${question.asks} ${question.minutes} min.`,
    ...Object.entries(flagsOf(question)).map(
      ([flag, { means, takes }]) => `  --${flag}${takes === undefined ? "" : ` ${takes.toUpperCase()}`}  ${means}`
    )
  ].join("\n")

const list = (): string => {
  const width = Math.max(...Object.keys(questions).map((name) => name.length))
  return Object.entries(questions)
    .map(([name, { asks, minutes, when }]) =>
      [name.padEnd(width), when.padEnd(6), `${minutes} min`.padStart(7), asks].join("  ")
    )
    .join("\n")
}

const parse = (args: ReadonlyArray<string>, flags: Flags): Readonly<Record<string, unknown>> => {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { takes }]: [string, Flag]) => [
      name,
      takes === undefined ? { type: "boolean" as const, default: false } : { type: "string" as const }
    ])
  )
  try {
    const { values } = parseArgs({ args: [...args], options })
    return Object.fromEntries(
      Object.keys(flags).map((name) => {
        const value = values[name]
        return [name, flags[name]?.takes === "number" && typeof value === "string" ? numberOf(name, value) : value]
      })
    )
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const prepare = async (needs: ReadonlyArray<string> = []): Promise<void> => {
  for (const need of needs) {
    if (need !== "build") await installTools(need)
    else if (spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" }).status !== 0) process.exit(1)
  }
}

const askOne = async (name: string, question: Question, args: ReadonlyArray<string>): Promise<void> => {
  if (args.includes("--help")) return console.log(helpOf(name, question))
  const { minutes, rounds, seed, ...flags } = parse(args, flagsOf(question))
  const lab = new Lab(name, question, { minutes, rounds, seed } as Asked, flags as Values<Flags>)
  await prepare(question.needs)
  const { ask } = await question.load()
  await ask(lab)
  if (lab.findings > 0) process.exitCode = 1
}

/** Asks questions one after the other, each in a process of its own. */
const askAll = (when: string): void => {
  const names = Object.keys(questions).filter((name) => questions[name]?.when === when)
  const failed = names.filter((name) => {
    console.log(`\n${name}: ${questions[name]?.asks}`)
    return (
      spawnSync(process.execPath, [...process.execArgv, import.meta.filename, name], { stdio: "inherit" }).status !== 0
    )
  })
  if (failed.length > 0) throw new UsageError(`These found something: ${failed.join(", ")}`)
}

const [name, ...args] = process.argv.slice(2)
const question = name === undefined ? undefined : questions[name]
try {
  if (name === undefined) console.log(list())
  else if (name === "change" || name === "night") askAll(name)
  else if (question === undefined) throw new UsageError(`There is no question ${name}:\n${list()}`)
  else await askOne(name, question, args)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}
