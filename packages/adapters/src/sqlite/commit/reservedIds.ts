const byConnection = new WeakMap<object, Map<string, number>>()

/** The last id of each table that is reserved for a row which is written later, by the store that writes with a connection. */
export const reservedIds = (connection: object): Map<string, number> => {
  const known = byConnection.get(connection)
  if (known !== undefined) return known
  const reserved = new Map<string, number>()
  byConnection.set(connection, reserved)
  return reserved
}
