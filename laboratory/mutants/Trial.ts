import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** A source with one fault in it. */
export interface Mutant {
  /** The path of the source in the repository. */
  readonly file: string
  readonly line: number
  /** What the fault is, such as `if (isTaken(record)) return is removed`. */
  readonly fault: string
  /** The whole source, with the fault. */
  readonly text: string
}

/** A part of a source in one line. */
export const inOneLine = (text: string): string => text.replace(/\s+/g, " ")

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

/** What a run of the tests has found. */
export type Outcome =
  | { readonly passed: true }
  | { readonly passed: false; readonly test: string; readonly message: string }

/** What the JSON reporter of Vitest writes, as far as it is read. */
interface Report {
  readonly success: boolean
  readonly testResults: ReadonlyArray<{
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages: ReadonlyArray<string> | null
    }>
  }>
}

const outcomeOf = ({ success, testResults }: Report): Outcome => {
  if (success) return { passed: true }
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === "failed")
  if (failed === undefined)
    throw new Error(`The tests do not load: ${testResults.map(({ message }) => message).join(" ")}`)
  return {
    passed: false,
    test: failed.fullName,
    message: failed.failureMessages?.[0]?.split("\n")[0] ?? "without a message"
  }
}

/** The tests that should catch mutants, and the packages that they need. */
export interface Suite {
  readonly tests: ReadonlyArray<string>
  /** The names of the tests, as vitest takes them; all if absent. */
  readonly names?: string
  /** The packages that are copied, by their folders. */
  readonly packages: Readonly<Record<string, string>>
}

/** Mutants of one subject, and the tests that should catch them. */
export interface Batch {
  readonly name: string
  readonly suite: Suite
  readonly mutants: ReadonlyArray<Mutant>
}

export const scope = "@petstore"

export const corePackages = { [`${scope}/core`]: "packages/core", [`${scope}/testing`]: "packages/core/testing" }

/** The tests of the PostgreSQL adapter in which transactions overlap, or wait for a standby. They need the URL of a server in `PETSTORE_TEST_POSTGRES_URL`. */
export const postgresSuite: Suite = {
  tests: [
    "packages/adapters/src/postgres/commit/group/GroupCommit.int.test.ts",
    "packages/adapters/src/postgres/commit/group/lockOrder.int.test.ts",
    "packages/adapters/src/postgres/events/appendEvents.int.test.ts",
    "packages/adapters/src/postgres/statements/lockFree.int.test.ts",
    "packages/adapters/src/postgres/storage.contract.test.ts",
    "packages/adapters/src/postgres/commitEach.contract.test.ts",
    "packages/adapters/src/postgres/faults/standbys.long.test.ts"
  ],
  names:
    "races|overlapping|want each other|idempotency records|imports|lie in the order|another transaction has locked|end of the log|two servers|two workers|waits for a standby",
  packages: { ...corePackages, [`${scope}/adapters`]: "packages/adapters" }
}

/** The tests of calls in transactions of the host application. They need the same server. */
export const hostSuite: Suite = {
  tests: [
    "packages/adapters/src/postgres/host/hostLocks.int.test.ts",
    "packages/adapters/src/postgres/host/hostUnawaited.int.test.ts",
    "packages/adapters/src/postgres/host/hostResponses.int.test.ts",
    "packages/adapters/src/postgres/host/hostTransactions.int.test.ts",
    "packages/adapters/src/hosts.int.test.ts",
    "packages/adapters/src/hostEnd.int.test.ts",
    "packages/adapters/src/hosts.contract.test.ts"
  ],
  // Those that try every moment of every command take minutes.
  names:
    "^(?!given a transaction of (?!pg on PostgreSQL when)|given a host that uses savepoints|given transactions of (?!pg.*a host application))|(?:of pg on PostgreSQL that ends|uses savepoints).*orders\\.place",
  packages: postgresSuite.packages
}

const configOf = ({ tests }: Suite) => `
  const source = { conditions: ["@petstore/source"] }
  export default {
    resolve: source,
    ssr: { resolve: source },
    test: { include: ${JSON.stringify(tests)}, bail: 1, isolate: false, fileParallelism: false, testTimeout: 300_000 }
  }`

/** A copy of core and its tests in a temporary folder, in which mutants are tried one after the other. */
export class Trial {
  private readonly repository: string
  private readonly folder: string
  private readonly suite: Suite

  private constructor(repository: string, folder: string, suite: Suite) {
    this.suite = suite
    this.repository = repository
    this.folder = folder
  }

  static async open(repository: string, suite: Suite): Promise<Trial> {
    const folder = await mkdtemp(join(tmpdir(), "petstore-mutants-"))
    const modules = join(folder, "node_modules")
    for (const [name, place] of Object.entries(suite.packages)) {
      for (const part of ["src", "test", "package.json", "tsconfig.json"]) {
        await cp(join(repository, place, part), join(folder, place, part), { recursive: true })
      }
      await mkdir(join(modules, dirname(name)), { recursive: true })
      await symlink(join(folder, place), join(modules, name))
    }
    for (const name of await readdir(join(repository, "node_modules"))) {
      if (name !== scope) await symlink(join(repository, "node_modules", name), join(modules, name))
    }
    for (const name of ["explore", "locks", "simulate"])
      await cp(join(repository, "laboratory", name), join(folder, "laboratory", name), { recursive: true })
    await cp(join(repository, "tsconfig.base.json"), join(folder, "tsconfig.base.json"))
    await writeFile(join(folder, "vitest.config.mjs"), configOf(suite))
    return new Trial(repository, folder, suite)
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Runs the tests on the sources as they are. */
  async run(): Promise<Outcome> {
    const outcome = join(this.folder, "outcome.json")
    await rm(outcome, { force: true })
    const vitest = join(this.repository, "node_modules/vitest/vitest.mjs")
    const ended = await promisify(execFile)(
      process.execPath,
      [
        vitest,
        "run",
        "--root",
        this.folder,
        "--reporter=json",
        `--outputFile=${outcome}`,
        "-t",
        this.suite.names ?? ""
      ],
      { cwd: this.folder, timeout: 1_200_000, maxBuffer: 2 ** 26 }
    ).catch((error: unknown) => error)
    const written = await readFile(outcome, "utf8").catch(() => {
      throw new Error("The tests did not run", { cause: ended })
    })
    return outcomeOf(JSON.parse(written))
  }

  /** Runs the tests on a mutant, and puts the source back. */
  async try({ file, text }: Mutant): Promise<Outcome> {
    const source = join(this.folder, file)
    const original = await readFile(source, "utf8")
    await writeFile(source, text)
    try {
      return await this.run()
    } finally {
      await writeFile(source, original)
    }
  }
}
