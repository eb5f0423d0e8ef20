/** Storage in PGlite: PostgreSQL in the process, for tests and browsers. */

export type { PgliteDatabase, PgliteMessage } from "./PgliteClient.ts"
export { type PgliteOptions, pglite } from "./pglite.ts"
