import { type Database, prepare } from "./Database.ts"

/** What the petstore stores for the name of a type. */
export const typeCodes = {
  "pet.created": "0",
  "pet.updated": "2",
  "category.created": "4",
  "inventory.updated": "7",
  "order.placed": "aw"
}

let events = 0
/** The time, which readers take from it, and thirteen characters that differ. */
export const eventId = (now: number): string =>
  `${now.toString(36).padStart(9, "0")}${(events++).toString(36).padStart(5, "0")}12345678`

/** Writes events as a petstore does: the values of their data without the opening bracket, and nothing that these or the id contain. */
export const openEvents = (database: Database) => {
  const insert = prepare(
    database,
    "INSERT INTO petstore_events (id, type, subject, timestamp, data) VALUES (?, ?, '', '', ?)"
  )
  return (type: keyof typeof typeCodes, now: number, values: ReadonlyArray<string | number | boolean>): void => {
    insert.run(eventId(now), typeCodes[type], JSON.stringify(values).slice(1))
  }
}
