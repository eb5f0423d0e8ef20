import type { Operation } from "./operations.ts"

/**
 * Whether the successes of an operation are compressed for clients that accept it: lists, which can be large and have no
 * entity tag. Never those of accounts and API keys, so that no length tells of what is beside a secret (BREACH).
 */
export const isCompressible = ({ query, scopes }: Operation): boolean =>
  query !== undefined && !scopes.includes("admin")
