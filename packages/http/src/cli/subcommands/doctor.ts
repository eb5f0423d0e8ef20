import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { schemaProblemsOf } from "../database.ts"
import { SubcommandFailed } from "../errors.ts"
import type { Database } from "../settings.ts"

export interface DoctorInput {
  readonly database: Database
}

/** Prints what differs from the expected schema as SQL: each problem as a comment, and the statements that mend it. Fails if there is one. */
export const run = ({ database }: DoctorInput) =>
  Effect.gen(function* () {
    const problems = yield* schemaProblemsOf(database)
    if (problems.length === 0) return yield* Console.log("-- The schema is as it should be.")
    yield* Console.log(problems.flatMap(({ problem, statements }) => [`-- ${problem}`, ...statements]).join("\n"))
    return yield* new SubcommandFailed({})
  })
