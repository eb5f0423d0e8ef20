import { createHash } from "node:crypto"
import { initial } from "./0001_initial.ts"
import { deliveries } from "./0002_deliveries.ts"
import { words } from "./0003_words.ts"
import { endingsStep } from "./0004_endings.ts"
import { attempts } from "./0005_attempts.ts"

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
