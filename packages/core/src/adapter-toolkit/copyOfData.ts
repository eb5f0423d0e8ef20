/** Copies the data of an event, as its JSON would be parsed. */
export const copyOfData = <Data extends object>(data: Data): Data => {
  const copy = { ...data }
  for (const name in copy) {
    const value = copy[name]
    if (value === undefined || (typeof value === "object" && value !== null)) return JSON.parse(JSON.stringify(data))
  }
  return copy
}
