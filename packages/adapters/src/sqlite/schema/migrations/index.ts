import { createHash } from "node:crypto"
import { endings } from "@petstore/core/tables"
import { definition } from "../../../sql/definition.ts"
import { tableNamed } from "../../../sql/tableText.ts"
import { dialect } from "../definitionDialect.ts"
import { initial } from "./0001_initial.ts"

/** One step of the schema. A released step never changes: a change is a new step. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

const migration = (id: number, name: string, sql: string): Migration => ({
  id,
  name,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex")
})

/** Deliveries to all endpoints are found by their status, and by what their events are about. */
const deliveries = `
CREATE INDEX petstore_deliveries_state ON petstore_deliveries (status, id);
CREATE INDEX petstore_deliveries_about ON petstore_deliveries (subject, id);
`

/** What a search compares of a name that is not ASCII: programs write it with the name. */
const words = "ALTER TABLE petstore_pets ADD COLUMN words TEXT;"

/** Orders that ended before have no row: nothing has recorded who ended them. */
const endingsStep = definition(tableNamed(endings.name), dialect)

/** The latest attempts of a delivery. Those of before were not recorded one by one. */
const attempts = "ALTER TABLE petstore_deliveries ADD COLUMN latest_attempts TEXT;"

/** Every step, in order; the last one's id is the version of the schema. */
export const migrations: ReadonlyArray<Migration> = [
  migration(1, "initial", initial),
  migration(2, "deliveries", deliveries),
  migration(3, "words", words),
  migration(4, "endings", endingsStep),
  migration(5, "attempts", attempts)
]

/** The SQL that creates everything in an empty file. */
export const tables = migrations.map(({ sql }) => sql).join("\n")
