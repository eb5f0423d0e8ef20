import { execFile } from "node:child_process"
import { appendFileSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { root } from "../../packages/test/support/workspace.ts"
import { UsageError } from "../arguments.ts"
import type { Lab } from "../Lab.ts"
import { type Finding, readFindings, summaryOf } from "./matrix.ts"
import { type Place, placesIn } from "./places.ts"

interface Mutant {
  /** In the repository. */
  readonly file: string
  readonly line: number
  readonly place: Place
}

/** Every fault of a source of the core. */
const allMutants = (): ReadonlyArray<Mutant> =>
  globSync("packages/core/src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] })
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8")
      return placesIn(file, text).map((place) => ({ file, line: text.slice(0, place.at).split("\n").length, place }))
    })

const nameOf = ({ file, line, place }: Mutant): string =>
  `${file}:${line} ${place.old.replace(/\s+/g, " ")} becomes ${place.new}`

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** What a program with this fault prints, and whether it succeeds. It is ended after five minutes. */
const run = async ({ file, place }: Mutant, args: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}) => {
  const env = { ...process.env, NO_COLOR: "1", MUTANT: JSON.stringify({ file: `/${file}`, place }), ...more }
  const options = { cwd: root, env, timeout: 300_000, maxBuffer: 2 ** 26 }
  return promisify(execFile)(process.execPath, args, options).then(
    () => ({ failed: false, names: "", output: "" }),
    ({ stderr, stdout }) => ({ failed: true, names: String(stdout), output: `${stdout}\n${stderr}` })
  )
}

/** The arguments of Node.js for the contracts with a fault. */
const contracts = [...process.execArgv, "--import", here("hook.ts"), here("contracts.ts")]

/** The case of a contract that sees a fault. */
const seenByContracts = async (mutant: Mutant): Promise<string | undefined> => {
  const { failed, output } = await run(mutant, contracts)
  return failed ? (output.trim().split("\n")[0] ?? "the program of the contracts") : undefined
}

/** The groups of the contracts that see a fault. */
const groupsThatSee = async (mutant: Mutant): Promise<ReadonlyArray<string>> => {
  const { failed, names } = await run(mutant, contracts, { ALL_GROUPS: "1" })
  return failed ? (names.trim() || "a case that never ends").split("\n") : []
}

/** Where the unit tests of a file are: in the folders of its subject, such as orders, or of its floor. */
const testsOf = (file: string): ReadonlyArray<string> => {
  const [floor = "", subject = ""] = file.split("/").slice(3)
  const isOfSubject = ["domain", "programs", "runtime"].includes(floor) && !subject.endsWith(".ts")
  return isOfSubject
    ? ["domain", "programs", "runtime"].map((other) => `packages/core/src/${other}/${subject}/`)
    : [`packages/core/src/${floor}/`]
}

/** The unit test that sees a fault: of its subject, or of the whole core. */
const seenByTests = async (mutant: Mutant, folders = testsOf(mutant.file)): Promise<string | undefined> => {
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const args = [vitest, "run", "--config", here("vitest.config.ts"), "--passWithNoTests", ...folders]
  const { failed, output } = await run(mutant, args)
  return failed ? (/^ *FAIL +(.*)$/m.exec(output)?.[1] ?? "a file of tests") : undefined
}

const everyTest: ReadonlyArray<string> = []

interface Flags {
  readonly in: string | undefined
  readonly into: string | undefined
  readonly most: number | undefined
  readonly matrix: boolean
}

/** The faults of the core in which the question is, by its seeds: a multiplication by a prime spreads them over all places. */
const mutantsIn = (part: string) => {
  const mutants = allMutants().filter(({ file }) => file.includes(part))
  if (mutants.length === 0) throw new UsageError(`No source of the core has ${JSON.stringify(part)} in its path`)
  return { count: mutants.length, at: (seed: number) => mutants[(seed * 7_919) % mutants.length] }
}

/**
 * Which groups of the contracts and unit tests see which faults: one that never sees one alone proves what others prove. With a file,
 * faults are left out that it has, and its faults count too, so that a night's run may be made in parts.
 */
const askMatrix = async (lab: Lab<Flags>): Promise<void> => {
  const { in: part = "", into } = lab.flags
  const { at, count } = mutantsIn(part)
  const findings = [...readFindings(into)]
  const known = new Set(findings.map(({ fault }) => fault))
  await lab.eachSeed(
    async (seed) => {
      const mutant = at(seed)
      const fault = mutant && nameOf(mutant)
      if (mutant === undefined || fault === undefined || known.has(fault)) return []
      const groups = await groupsThatSee(mutant)
      const ofSubject =
        (await seenByTests(mutant)) === undefined ? groups : [...groups, `tests of ${testsOf(mutant.file)[0]}`]
      const another = ofSubject.length === 0 ? await seenByTests(mutant, everyTest) : undefined
      const seenBy = another === undefined ? ofSubject : [another.split(" > ")[0] ?? another]
      const finding: Finding = { fault, seenBy }
      findings.push(finding)
      if (into !== undefined) appendFileSync(into, `\n${JSON.stringify(finding)}`)
      lab.log(`seed ${seed}: ${fault}\n  ${seenBy.join(", ") || "NOBODY SEES IT"}`)
      return []
    },
    { atOnce: 2, figures: () => `of ${count} places` }
  )
  for (const line of summaryOf(findings)) lab.log(line)
}

/**
 * Puts a random fault into the core for each seed, runs the contracts in memory on it, and if these do not see it, the unit tests.
 * A fault that nobody sees changes nothing, or is the lack of a test. Fails if more are seen by nobody than `most` percent.
 */
export const ask = async (lab: Lab<Flags>): Promise<void> => {
  if (lab.flags.matrix) return askMatrix(lab)
  const { in: part = "", most = 40 } = lab.flags
  const { at, count } = mutantsIn(part)
  const counts = { contracts: 0, tests: 0, nobody: 0 }
  await lab.eachSeed(
    async (seed) => {
      const mutant = at(seed)
      if (mutant === undefined) return []
      const byContracts = await seenByContracts(mutant)
      const byTests =
        byContracts === undefined ? ((await seenByTests(mutant)) ?? (await seenByTests(mutant, everyTest))) : undefined
      counts[byContracts !== undefined ? "contracts" : byTests !== undefined ? "tests" : "nobody"]++
      lab.log(`seed ${seed}: ${nameOf(mutant)}\n  ${byContracts ?? byTests ?? "NOBODY SEES IT"}`)
      return []
    },
    { atOnce: 2, figures: () => `of ${count} places; seen by ${JSON.stringify(counts)}` }
  )
  const share = (100 * counts.nobody) / (counts.contracts + counts.tests + counts.nobody)
  if (share > most) lab.found(`Nobody sees ${Math.round(share)} % of the faults`)
}
