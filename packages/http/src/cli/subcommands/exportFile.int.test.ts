import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { testDatabase } from "../../../../adapters/test/support/postgres.ts"
import { type Place, printed, test } from "../../../test/support/cliTest.ts"

const pets = [
  { name: 'Tom, "the" cat', category: "Cats", quantity: 0 },
  { name: "Ωmega", category: "Cats", quantity: 7 },
  { name: "Rex", category: "Dogs; old", quantity: 2 }
]

/** Pets, one of them deleted, and two orders, one of them of a user, who cancelled it. */
const fill = async (petstore: Petstore) => {
  const ids = new Map<string, number>()
  for (const { category, name, quantity } of pets) {
    const categoryId = ids.get(category) ?? (await petstore.categories.create({ name: category })).id
    ids.set(category, categoryId)
    const { id } = await petstore.pets.create({ name, categoryId })
    await petstore.inventory.set(id, quantity)
  }
  const gone = await petstore.pets.create({ name: "Gone", categoryId: 1 })
  await petstore.pets.delete(gone.id)
  await petstore.orders.place({ petId: 2, quantity: 3 })
  const ada = petstore.as({ user: "ada" })
  await ada.orders.cancel((await ada.orders.place({ petId: 3 })).id)
  await petstore.close()
}

const given = ({ file }: Place) => Effect.promise(async () => fill(await createPetstore({ storage: sqlite(file) })))

const linesOf = (file: string) =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("petstore export", () => {
  for (const format of ["csv", "ndjson"]) {
    test(`given pets in ${format}, when they are imported elsewhere, then they and their stock are the same`, (place) =>
      Effect.gen(function* () {
        yield* given(place)
        const file = join(place.folder, `pets.${format}`)
        assert.strictEqual(yield* place.output("export", "pets", file), `${file}: 3 pets exported`)
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        const elsewhere = ["--storage", `sqlite:${join(place.folder, "other.db")}`]
        yield* place.output("import", file, "--strict", ...elsewhere)
        const back = join(place.folder, "back.ndjson")
        yield* place.output("export", "pets", back, ...elsewhere)
        assert.deepStrictEqual(
          linesOf(back).map(({ category, name, quantity }) => ({ name, category, quantity })),
          pets
        )
      }))
  }

  test("given orders, then those that were cancelled are among them, with their owners and what has happened to each", (place) =>
    Effect.gen(function* () {
      yield* given(place)
      const file = join(place.folder, "orders.csv")
      yield* place.output("export", "orders", file)
      const [titles, first, second] = readFileSync(file, "utf8").split("\n")
      assert.strictEqual(titles, "id,petId,quantity,state,shipDate,expiresAt,accountId,user,createdAt,updatedAt")
      assert.match(first ?? "", /^1,2,3,open,,,,,\d{4}-[^,]+,\d{4}-[^,]+$/)
      assert.match(second ?? "", /^2,3,1,cancelled,,,0,ada,\d{4}-/)
    }))

  test("given more events than a page, and - as the file, then all are on standard output, in order", (place) =>
    Effect.gen(function* () {
      yield* Effect.promise(async () => {
        const petstore = await createPetstore({ storage: sqlite(place.file) })
        for (let n = 0; n < 12; n++) {
          await petstore.transaction(async (tx) => {
            for (let each = 0; each < 100; each++) await tx.categories.create({ name: `${n} ${each}` })
          })
        }
        await petstore.close()
      })
      const file = join(place.folder, "events.jsonl")
      yield* place.output("export", "events", file)
      const events = linesOf(file)
      assert.deepStrictEqual(
        events.map(({ seq }) => seq),
        Array.from({ length: 1_200 }, (_, index) => index + 1)
      )
      assert.hasAllKeys(events[0], ["seq", "id", "type", "subject", "timestamp", "data"])
    }))

  test("given PostgreSQL, then its rows are exported", (place) =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* testDatabase
        yield* Effect.promise(async () => fill(await createPetstore({ storage: postgres(url) })))
        const file = join(place.folder, "pets.ndjson")
        yield* place.output("export", "pets", file, "--storage", url)
        assert.deepStrictEqual(
          linesOf(file).map(({ category, name, quantity, reserved }) => ({ name, category, quantity, reserved })),
          pets.map((pet, index) => ({ ...pet, reserved: [0, 3, 0][index] }))
        )
      })
    ))

  test("given a file that exists, no format or a folder that does not exist, then nothing is written", (place) =>
    Effect.gen(function* () {
      yield* given(place)
      const taken = place.write("pets.csv", "mine")
      const before = readdirSync(place.folder)
      const exists = printed(yield* place.run("export", "pets", taken))
      assert.deepStrictEqual([exists.code, exists.stderr.includes("exists already; name a new file")], [2, true])
      const nameless = printed(yield* place.run("export", "pets", join(place.folder, "pets")))
      assert.deepStrictEqual(
        [nameless.code, nameless.stderr.includes("add --format csv or --format ndjson")],
        [2, true]
      )
      const nowhere = printed(yield* place.run("export", "pets", join(place.folder, "none", "pets.csv")))
      assert.deepStrictEqual([nowhere.code, nowhere.stderr.includes("Nothing was exported")], [1, true])
      assert.deepStrictEqual(readdirSync(place.folder), before)
      assert.strictEqual(readFileSync(taken, "utf8"), "mine")
    }))
})
