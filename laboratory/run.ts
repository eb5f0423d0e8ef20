// Asks questions about the engine: `npm run lab` lists them, `npm run lab -- NAME` asks one, `npm run lab -- night` those of the night.
// Exits with 1 if it finds what should not be, and with 2 if it cannot ask.
import { spawnSync } from "node:child_process"
import { installTools } from "../scripts/tools.ts"
import { flagLines, parse, UsageError } from "./arguments.ts"
import { Lab } from "./Lab.ts"
import type { Question } from "./Question.ts"
import { questions } from "./questions.ts"

const list = (): string => {
  const width = Math.max(...Object.keys(questions).map((name) => name.length))
  return Object.entries(questions)
    .map(([name, { asks, minutes, when }]) =>
      [name.padEnd(width), when.padEnd(6), `${minutes} min`.padStart(7), asks].join("  ")
    )
    .join("\n")
}

const prepare = async (needs: ReadonlyArray<string> = []): Promise<void> => {
  for (const need of needs) {
    if (need !== "build") await installTools(need)
    else if (spawnSync("npm", ["run", "--silent", "build"], { stdio: "inherit" }).status !== 0)
      throw new UsageError("The packages cannot be built")
  }
}

const askOne = async (name: string, question: Question, args: ReadonlyArray<string>): Promise<void> => {
  if (args.includes("--help"))
    return console.log([`${name}: ${question.asks} ${question.minutes} min.`, ...flagLines(question)].join("\n"))
  const { asked, flags } = parse(args, question)
  const lab = new Lab(name, question, asked, flags)
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
    const args = [...process.execArgv, import.meta.filename, name]
    return spawnSync(process.execPath, args, { stdio: "inherit" }).status !== 0
  })
  if (failed.length === 0) return
  console.error(`\nThese found something, or could not be asked: ${failed.join(", ")}`)
  process.exitCode = 1
}

const [name, ...args] = process.argv.slice(2)
try {
  if (name === undefined || name === "--help") console.log(list())
  else if (name === "change" || name === "night") {
    if (args.length > 0) throw new UsageError(`${name} takes no flags`)
    askAll(name)
  } else {
    const question = Object.hasOwn(questions, name) ? questions[name] : undefined
    if (question === undefined) throw new UsageError(`There is no question ${JSON.stringify(name)}:\n${list()}`)
    await askOne(name, question, args)
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}
