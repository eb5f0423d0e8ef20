import { writeFileSync } from "node:fs"
import { createPetstore } from "@petstore/core"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { synchronousSql } from "./synchronousSql.ts"
import { open } from "./test/driver.ts"
import { temporaryFile } from "./test/temporaryFile.ts"

const inFile = (use: (file: string) => Promise<void>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(temporaryFile, (file) => Effect.promise(() => use(file)))))

/** A petstore with a connection of its own, as another process has. */
const apart = (file: string) => createPetstore({ storage: synchronousSql(open)(file) })

describe("a file of a synchronous SQL driver", () => {
  it("given two connections that write, then each sees and is notified of what the other commits", () =>
    inFile(async (file) => {
      await using one = await apart(file)
      await using other = await apart(file)
      const seen = Promise.withResolvers<number>()
      await other.events.subscribe((event) => {
        if (event.type === "pet.created") seen.resolve(event.data.id)
      })
      const { id: categoryId } = await one.categories.create({ name: "Dogs" })
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? one : other).pets.create({ name: "Rex", categoryId })
        )
      )
      const ids = created.map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, 20)
      assert.include(ids, await seen.promise)
      assert.isTrue((await one.verify()).ok)
    }))

  it("given one that another program has written, then it is not opened", () =>
    inFile(async (file) => {
      const connection = open(file)
      connection.exec("CREATE TABLE notes (text TEXT)")
      connection.close()
      const failure = await apart(file).then(() => undefined, String)
      assert.include(failure, "belongs to another program. Name a new file.")
    }))

  it("given one that is no database, then it is not opened, and nothing keeps it open", () =>
    inFile(async (file) => {
      writeFileSync(file, "no database, but long enough to have a header".repeat(10))
      for (const _ of ["first", "second"]) {
        const failure = await apart(file).then(
          () => undefined,
          (error) => error.code
        )
        assert.strictEqual(failure, "storage_unavailable")
      }
    }))
})
