import { defineConfig } from "vitest/config"

// Tests run the TypeScript sources of the workspace, never a stale build.
const source = { conditions: ["@petstore/source"] }

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "examples/**/*.test.ts",
      "docs/**/*.test.ts"
    ],
    testTimeout: 30_000
  }
})
