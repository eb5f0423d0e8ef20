export type { SqliteOptions } from "./SqliteOptions.ts"
export { sqlite } from "./sqlite.ts"
