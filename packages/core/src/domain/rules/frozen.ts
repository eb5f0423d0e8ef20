/** Freezes a value with everything in it, and returns it. */
export const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
