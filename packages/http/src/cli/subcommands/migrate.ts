import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { migrationStateOf, openOrCreate } from "../database.ts"
import type { Database } from "../settings.ts"
import { table } from "../terminal/table.ts"

export interface MigrateInput {
  readonly database: Database
}

/** Migrates the schema, and lists its migrations. */
export const run = ({ database }: MigrateInput) =>
  Effect.gen(function* () {
    yield* Effect.scoped(Layer.build(openOrCreate(database)))
    const steps = yield* migrationStateOf(database)
    yield* Console.log(
      table([
        ["migration", "name", "applied"],
        ...steps.map(({ appliedAt, id, name }) => [String(id), name, appliedAt ?? "-"])
      ])
    )
  })
