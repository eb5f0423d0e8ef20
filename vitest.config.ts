import { defineConfig } from "vitest/config"

// Tests run the TypeScript sources of the workspace, never a stale build.
const source = { conditions: ["@petstore/source"] }

export default defineConfig({
  resolve: source,
  ssr: { resolve: source },
  test: {
    include: ["{packages,examples,docs,scripts}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    reporters: ["default", "./scripts/PlainSummary.ts"],
    testTimeout: 30_000
  }
})
