import { defineConfig } from "vitest/config"

const source = { conditions: ["@petstore/source"] }

export default defineConfig({ resolve: source, ssr: { resolve: source }, test: { include: ["*.vitest.ts"] } })
