/** Every setting of the CLI: its flag, its environment variable, its default and the values that it takes. */

export * from "./settings/database.ts"
export * from "./settings/observability.ts"
export * from "./settings/postgres.ts"
export * from "./settings/retention.ts"
export * from "./settings/secrets.ts"
export * from "./settings/server.ts"
