import { writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { createClient } from "@libsql/client"
import { createPetstore } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { LibsqlDatabase } from "./LibsqlDatabase.ts"
import { libsql, openStore } from "./libsql.ts"
import { temporaryFile } from "./test/temporaryFile.ts"

const inFile = (use: (file: string) => Promise<void>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(temporaryFile, (file) => Effect.promise(() => use(file)))))

/** A petstore with connections of its own, as another process has. */
const apart = (file: string) =>
  createPetstore({
    storage: { ...libsql(file), layer: Layer.effect(Storage, Effect.flatMap(opened(file), openStore)) }
  })

const opened = (file: string) =>
  Effect.acquireRelease(LibsqlDatabase.open(file), (database) => Effect.sync(() => database.close()))

describe("a file of libSQL", () => {
  it("given two connections that write, then each sees and is notified of what the other commits", () =>
    inFile(async (file) => {
      await using one = await apart(file)
      await using other = await apart(file)
      const seen = Promise.withResolvers<number>()
      const subscription = await other.events.subscribe((event) => {
        if (event.type === "pet.created") seen.resolve(event.data.id)
      })
      const { id: categoryId } = await one.categories.create({ name: "Dogs" })
      const created = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? one : other).pets.create({ name: "Rex", categoryId })
        )
      )
      assert.strictEqual(new Set(created.map(({ id }) => id)).size, 20)
      assert.include(
        created.map(({ id }) => id),
        await seen.promise
      )
      subscription.close()
      assert.isTrue((await one.verify()).ok)
    }))

  it("given one that another program has written, then it is not opened", () =>
    inFile(async (file) => {
      const client = createClient({ url: pathToFileURL(file).href })
      await client.execute("CREATE TABLE notes (text TEXT)")
      client.close()
      const failure = await createPetstore({ storage: libsql(file) }).then(() => undefined, String)
      assert.include(failure, "belongs to another program. Name a new file.")
    }))

  it("given one that is no database, then it is not opened, and nothing keeps it open", () =>
    inFile(async (file) => {
      writeFileSync(file, "no database, but long enough to have a header".repeat(10))
      const failure = await Effect.runPromise(Effect.flip(LibsqlDatabase.open(file)))
      assert.strictEqual(failure.code, "storage_unavailable")
    }))
})
