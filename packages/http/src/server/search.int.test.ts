import { describe, it } from "@effect/vitest"
import type { PetstoreOptions } from "@petstore/core"
import * as Effect from "effect/Effect"
import { opened, sendingBy } from "../../test/support/mounts.ts"
import { follow } from "../../test/support/transcript.ts"

const shop = (search: PetstoreOptions["search"], text: string) =>
  Effect.gen(function* () {
    const { handler, petstore } = yield* opened({}, { search })
    yield* Effect.promise(async () => {
      const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
      await petstore.pets.createAll(["Café-Crème the Cat", "Rex", "Cat 2"].map((name) => ({ name, categoryId })))
    })
    yield* follow(sendingBy(handler.fetch), text)
  })

describe("searches over REST", () => {
  it.effect("given the option, then a search finds words, on pages with the search in their links", () =>
    shop(
      "words",
      `GET /v1/pets?search=CAT&limit=1 -> 200 [link~search=CAT] ids 1
       GET /v1/pets?search=creme+caf -> 200 ids 1
       GET /v1/pets?search=%26! -> 400 ~Expected at least one letter or digit`
    )
  )

  it.effect("given no option, then the error names it, and the prefix of a name is found as before", () =>
    shop(
      undefined,
      `GET /v1/pets?search=cat -> 400 ~petstore serve --search words
       GET /v1/pets?name=Cat -> 200 ids 3`
    )
  )
})
