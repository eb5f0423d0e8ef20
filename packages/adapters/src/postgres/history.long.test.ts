import { describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { explainHistories } from "../../test/support/explainHistories.ts"
import { commitModes } from "../../test/support/postgres/commitModes.ts"
import { testStores } from "../../test/support/postgres/testStores.ts"

for (const [name, options] of Object.entries(commitModes)) {
  const { petstores } = testStores(options)

  describe(`given commands that come four at a time, to two petstores on one PostgreSQL database, ${name}`, () =>
    explainHistories(
      Effect.flatMap(petstores.open, (petstore) =>
        Effect.map(petstores.openAnother(petstore), (another) => [petstore, another] as const)
      )
    ))
}
