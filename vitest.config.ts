import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import ShortLast from "./scripts/ShortLast.ts"

// Tests run the TypeScript sources of the workspace, never a stale build.
const source = { conditions: ["@petstore/source"] }

const folders = "{packages,examples,docs,scripts,laboratory}"
// Starts a PostgreSQL server when a test first asks for it.
const postgres = "packages/adapters/test/support/postgres/sharedServer.ts"
// Bundles the programs that tests start when a test first starts one.
const programs = "packages/adapters/test/support/sharedPrograms.ts"
// Packs and installs the packages when a test first asks for them.
const packages = "packages/test/support/install.ts"
const tools = "scripts/tools.ts"

const exclude = [...configDefaults.exclude, "**/dist/**"]

// The contracts on the engines themselves.
const ofEngines =
  "packages/{core/src/{memory,petstore},adapters/src/{sqlite,postgres}}/{petstore,storage}.contract.test.ts"
// What a reader of the documentation runs: every snippet, and the first program of the README with the packages as published.
const ofReaders = ["docs/snippets.int.test.ts", "packages/test/readme.int.test.ts"]
// What others see of a release: the packages as published, what their tools make of the descriptions of both APIs, and their middleware.
const ofRelease = [
  "packages/test/**/*.int.test.ts",
  "packages/http/src/openapi/{conversation,generatedClient,linters,validators}.int.test.ts",
  "packages/http/src/client/mockServer.int.test.ts",
  // With axe of tools.
  "packages/http/src/server/routes/consolePage.browser.int.test.ts",
  "packages/http/test/mounts/{console.browser,middleware}.int.test.ts",
  // With React and Vue, which it installs for itself.
  "examples/live-stock/live-stock.int.test.ts"
]

// What the test clock prints after a second of real time: on a busy machine, any test with real I/O may take that long.
const slowClock = "A test is using time, but is not advancing the test clock"
// What is logged of an Effect that skips its test, because the machine lacks something.
const skipped = "test is skipped; abort execution"

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    reporters: ["default"],
    // A test that prints fails the run. What it expects to be logged, it reads with a logger of its own.
    onConsoleLog: (text) => {
      if (text.includes(slowClock) || text.includes(skipped)) return
      process.stderr.write("\nA test prints, so the run fails:\n")
      process.exitCode = 1
    },
    // One line for each file.
    slowTestThreshold: 60_000,
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
      // Of npm run test:all, which alone counts.
      thresholds: { lines: 90, functions: 88, branches: 80, statements: 89 }
    },
    projects: [
      // npm test runs the first three.
      {
        extends: true,
        test: {
          name: "unit",
          include: [`${folders}/**/*.test.ts`],
          exclude: [...exclude, "**/*.{int,contract,long}.test.ts"]
        }
      },
      // What every adapter, and every way of calling a petstore, must do: the same cases against each.
      {
        extends: true,
        test: { name: "contract", include: [ofEngines], globalSetup: [postgres, programs] }
      },
      {
        extends: true,
        test: { name: "docs", include: ofReaders, globalSetup: [packages, postgres] }
      },
      // The same cases over HTTP, in transactions of a host, behind a pooler, and on the stores of others.
      {
        extends: true,
        test: {
          name: "variants",
          include: [`${folders}/**/*.contract.test.ts`],
          exclude: [...exclude, ofEngines],
          globalSetup: [postgres, programs]
        }
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: [`${folders}/**/*.int.test.ts`],
          exclude: [...exclude, ...ofRelease, ...ofReaders],
          globalSetup: [postgres, programs]
        }
      },
      // Clusters, killed processes, and faults that need real time: npm run lab -- long.
      {
        extends: true,
        test: {
          name: "long",
          include: [`${folders}/**/*.long.test.ts`],
          exclude,
          globalSetup: [postgres, programs]
        }
      },
      // For these, the packages are built, packed and installed once: npm run test:packages.
      {
        extends: true,
        test: {
          name: "packages",
          isolate: true,
          include: ofRelease,
          exclude: [...exclude, ...ofReaders],
          globalSetup: [tools, packages, postgres]
        }
      }
    ]
  }
})
