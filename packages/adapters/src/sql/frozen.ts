/** Freezes a row that requests share. Bytes cannot be frozen. */
export const frozen = <A>(row: A): A => {
  if (typeof row !== "object" || row === null || row instanceof Uint8Array) return row
  for (const part of Object.values(row)) frozen(part)
  return Object.freeze(row)
}
