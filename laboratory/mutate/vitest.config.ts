import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { replaced } from "./places.ts"

const { file, place } = JSON.parse(process.env.MUTANT ?? "{}")
const source = { conditions: ["@petstore/source"] }

/** The unit tests of the core, with a fault in one source. */
export default defineConfig({
  root: join(import.meta.dirname, "../.."),
  resolve: source,
  ssr: { resolve: source },
  plugins: [
    {
      name: "mutate",
      enforce: "pre",
      transform: (code, id) => (id.endsWith(file) ? replaced(code, place) : undefined)
    }
  ],
  test: {
    include: ["packages/core/src/**/*.test.ts"],
    exclude: ["**/*.{int,contract,long}.test.ts", "**/architecture.test.ts"],
    // Which would keep the fault for later runs.
    fsModuleCache: false,
    isolate: false,
    bail: 1,
    testTimeout: 30_000,
    reporters: ["dot"]
  }
})
