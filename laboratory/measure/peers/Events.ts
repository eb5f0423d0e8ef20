import { type Database, prepare } from "./Database.ts"

/** What the petstore stores for the name of a type. */
const typeCodes = {
  "pet.created": "0",
  "pet.updated": "2",
  "category.created": "4",
  "inventory.updated": "7",
  "order.placed": "aw"
}

let events = 0
/** The time, which readers take from it, and thirteen characters that differ. */
const eventId = (now: number): string =>
  `${now.toString(36).padStart(9, "0")}${(events++).toString(36).padStart(5, "0")}12345678`

/** The row of an event as a petstore stores it: the values of its data without the opening bracket, and nothing that these or the id contain. */
export const eventRow = (
  type: keyof typeof typeCodes,
  now: number,
  values: ReadonlyArray<string | number | boolean>
) => ({
  id: eventId(now),
  type: typeCodes[type],
  subject: "",
  timestamp: "",
  data: JSON.stringify(values).slice(1)
})

export const openEvents = (database: Database) => {
  const insert = prepare(
    database,
    "INSERT INTO petstore_events (id, type, subject, timestamp, data) VALUES (?, ?, '', '', ?)"
  )
  return (...event: Parameters<typeof eventRow>): void => {
    const { data, id, type } = eventRow(...event)
    insert.run(id, type, data)
  }
}
