/** A row in a report: the fields that show what is wrong. */
export type Row = Readonly<Record<string, unknown>>

/** What a check finds: `true` if the rule holds, the row to show if it does not, `undefined` if it does not apply. */
export type Finding = true | Row | undefined

/** Compares the fields that are found with those expected: finds `true`, or the identity and the fields that differ. */
export const compare = (identity: Row, found: Row, expected: Row): true | Row => {
  const different = Object.keys(found).filter((field) => found[field] !== expected[field])
  if (different.length === 0) return true
  return {
    ...identity,
    ...Object.fromEntries(
      different.map((field) => [field, { found: found[field] ?? null, expected: expected[field] ?? null }])
    )
  }
}
