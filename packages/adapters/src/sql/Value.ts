/** A value for a placeholder; undefined is stored as NULL. */
export type Value = string | number | boolean | Uint8Array | null | undefined
