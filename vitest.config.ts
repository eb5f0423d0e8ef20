import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import ShortLast from "./scripts/ShortLast.ts"

// Tests run the TypeScript sources of the workspace, never a stale build.
const source = { conditions: ["@petstore/source"] }

const folders = "{packages,examples,docs,scripts}"
// Starts a PostgreSQL server when a test first asks for it.
const postgres = "packages/adapters/test/support/postgres/sharedServer.ts"
// Bundles the programs that tests start when a test first starts one.
const programs = "packages/adapters/test/support/sharedPrograms.ts"
const ofPackages = "packages/test/**/*.int.test.ts"
const ofContracts = `${folders}/**/*.contract.test.ts`
const exclude = [...configDefaults.exclude, "**/dist/**"]

// Integration tests of code that needs a real server or real connections, and that neither unit nor contract tests reach.
const inCoverage = [
  "adapters/src/postgres/{connection,host,replica,schema,verification}",
  "http/src/{server,webhooks}"
].map((folder) => `packages/${folder}/**/!(hostEnd|processes|referencePage.browser).int.test.ts`)

// Contracts that reach few lines that others do not: counting lines makes a run half as long again.
const contractsOutsideOfCoverage = [
  "examples/custom-adapter/engine.contract.test.ts",
  "packages/adapters/src/pglite/pglite.contract.test.ts",
  "packages/adapters/src/postgres/host/hostEngine.contract.test.ts",
  "packages/adapters/src/postgres/pgbouncer.contract.test.ts",
  "packages/http/src/client/engine.contract.test.ts"
]

const measured = {
  extends: true as const,
  test: {
    name: "measured",
    include: inCoverage,
    exclude,
    globalSetup: [postgres, programs]
  }
}

// In CI each test runs once: in test:coverage, or in test:rest.
const script = process.env.npm_lifecycle_event

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    reporters: ["default", "./scripts/SlowFiles.ts", "./scripts/PlainSummary.ts", "./scripts/StuckFiles.ts"],
    // Only what hangs takes so long: a test of seconds takes a minute while other programs use the processors.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Tests leave nothing behind in a module, so that a worker need not load them all again for each file.
    isolate: false,
    // Tests that wait for processes and servers, which takes much of the time of all tests, leave their core to others.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: ShortLast },
    // Loading modules is most of what a worker or a program does that runs for a second, so all share what they compiled.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "petstore-compile-cache") },
    coverage: {
      include: ["packages/*/src/**/*.ts", "packages/core/testing/src/**/*.ts"],
      reporter: ["text-summary", "html"],
      thresholds: { lines: 90, functions: 88, branches: 80, statements: 89 }
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [`${folders}/**/*.test.ts`],
          exclude: [...exclude, "**/*.int.test.ts", "**/*.contract.test.ts"]
        }
      },
      // What every adapter, and every way of calling a petstore, must do: the same cases against each.
      {
        extends: true,
        test: {
          name: "contract",
          include: script === "test:rest" ? contractsOutsideOfCoverage : [ofContracts],
          exclude: [...exclude, ...(script === "test:coverage" ? contractsOutsideOfCoverage : [])],
          globalSetup: [postgres, programs]
        }
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: [`${folders}/**/*.int.test.ts`],
          exclude: [...exclude, ofPackages, ...(script === "test:rest" ? inCoverage : [])],
          globalSetup: ["scripts/tools.ts", postgres, programs]
        }
      },
      // These run the packages as they are published, which are built, packed and installed for them once.
      {
        extends: true,
        test: {
          name: "packages",
          isolate: true,
          include: [ofPackages],
          globalSetup: ["scripts/tools.ts", "packages/test/support/install.ts", postgres]
        }
      },
      ...(script === "test:coverage" ? [measured] : [])
    ]
  }
})
