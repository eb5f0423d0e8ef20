/** A row in a report: the fields that show what is wrong. */
export type Row = Readonly<Record<string, unknown>>

/** What a check finds: `true` if the rule holds, the row to show if it does not, `undefined` if it does not apply. */
export type Finding = true | Row | undefined

/** Whether all fields that are found have the values expected. Of nearly all rows they do, so nothing is made to find out. */
export const sameFields = <Fields extends object>(found: Fields, expected: Fields): boolean => {
  for (const field in found) if (found[field] !== expected[field]) return false
  return true
}

/** Compares the fields that are found with those expected: finds `true`, or the identity and the fields that differ. */
export const compare = (identity: Row, found: Row, expected: Row): true | Row => {
  if (sameFields(found, expected)) return true
  const different = Object.keys(found).filter((field) => found[field] !== expected[field])
  return {
    ...identity,
    ...Object.fromEntries(
      different.map((field) => [field, { found: found[field] ?? null, expected: expected[field] ?? null }])
    )
  }
}
