/** Copies a row of a cache, since callers may write to the bytes that they get. */
export const withOwnBytes = <Row>(row: Row): Row => {
  if (row instanceof Uint8Array) return row.slice() as Row
  if (typeof row !== "object" || row === null || Array.isArray(row)) return row
  const copy = { ...row }
  for (const name in copy) {
    const value = copy[name]
    if (typeof value === "object") copy[name] = withOwnBytes(value)
  }
  return copy
}
