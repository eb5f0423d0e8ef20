/** A row in a report: the fields that show what is wrong. */
export type Row = Readonly<Record<string, unknown>>

/** What a check finds: `true` if the rule holds, the row to show if it does not, `undefined` if it does not apply. */
export type Finding = true | Row | undefined

/** Whether all fields that are stored have the values expected. Of nearly all rows they do, so nothing is made to find out. */
export const sameFields = <Fields extends object>(stored: Fields, expected: Fields): boolean => {
  for (const field in stored) if (stored[field] !== expected[field]) return false
  return true
}

/** What a finding shows of a value: the one that is stored, and the one expected. */
export const difference = (stored: unknown, expected: unknown) => ({ found: stored, expected })

/** Compares the fields that are stored with those expected: finds `true`, or the identity and the fields that differ. */
export const compare = (identity: Row, stored: Row, expected: Row): true | Row => {
  if (sameFields(stored, expected)) return true
  const different = Object.keys(stored).filter((field) => stored[field] !== expected[field])
  return {
    ...identity,
    ...Object.fromEntries(different.map((field) => [field, difference(stored[field] ?? null, expected[field] ?? null)]))
  }
}
