import { copyFileSync, existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore, type Petstore } from "@petstore/core"
import { openByHand } from "../inProcess/byHand.ts"
import { type Contender, type Contenders, callUntil } from "../inProcess/Contender.ts"
import { openDatabase, prepare } from "../peers/Database.ts"

const few = 10_000
const many = 1_000_000
const callers = 64

/** Fills a new file with pets that each have one order. */
const fill = async (file: string, count: number): Promise<void> => {
  await using petstore = await createPetstore({ storage: sqlite(file) })
  for (let n = 1; n <= 20; n++) await petstore.categories.create({ name: `Category ${n}` })
  for (let first = 1; first <= count; first += 100) {
    const ids = Array.from({ length: 100 }, (_, n) => first + n)
    await petstore.pets.createAll(ids.map((id) => ({ name: `Pet ${id}`, categoryId: 1 + (id % 20) })))
    await petstore.inventory.adjustAll(ids.map((petId) => ({ petId, delta: 1_000, reason: "received" as const })))
    await petstore.orders.placeAll(ids.map((petId) => ({ petId })))
  }
}

/** Repeats the pets of a file, with their orders, movements and events, under other ids. */
const repeat = (file: string, times: number): void => {
  using database = new DatabaseSync(file)
  const events = Number(database.prepare("SELECT max(seq) AS last FROM petstore_events").get()?.last)
  const steps: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    pets: { id: few },
    orders: { id: few, pet_id: few },
    movements: { pet_id: few, order_id: few },
    events: { seq: events }
  }
  database.exec("PRAGMA cache_size = -500000; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN")
  for (const [table, moved] of Object.entries(steps)) {
    const names = database.prepare(`SELECT name FROM pragma_table_info('petstore_${table}')`).all()
    const columns = names.map(({ name }) => {
      const step = moved[String(name)]
      return step === undefined ? name : `${name} + n * ${step}`
    })
    database.exec(`WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${times - 1})
      INSERT INTO petstore_${table} SELECT ${columns.join(", ")} FROM copies, petstore_${table}`)
  }
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
}

/**
 * A file with so many pets and orders, which all comparisons use. Each side has its own copy: a commit of another process would empty its
 * cache in each turn.
 */
const fileOf = async (folder: string, count: number, side: "ours" | "by hand"): Promise<string> => {
  const filled = join(folder, `growth-${count}.db`)
  const file = join(folder, `growth-${count}, ${side}.db`)
  if (existsSync(file)) return file
  if (!existsSync(filled)) {
    const unfinished = `${filled}.new`
    await fill(unfinished, few)
    if (count > few) repeat(unfinished, count / few)
    renameSync(unfinished, filled)
  }
  copyFileSync(filled, file)
  return file
}

/** Ids from all over a store, the same in every run: a full period of a generator modulo 2 ** 32. */
const idsOf = (count: number): (() => number) => {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return 1 + Math.floor((state / 2 ** 32) * count)
  }
}

const ours =
  (count: number, what: "get" | "order") =>
  async ({ folder }: { readonly folder: string }): Promise<Contender> => {
    const petstore = await createPetstore({ storage: sqlite(await fileOf(folder, count, "ours")) })
    const id = idsOf(count)
    const call = { get: () => petstore.pets.get(id()), order: () => petstore.orders.place({ petId: id() }) }[what]
    return { work: (end) => callUntil(end, what === "get" ? 1 : callers, call) }
  }

const byHand =
  (count: number, what: "get" | "order") =>
  async ({ folder }: { readonly folder: string }): Promise<Contender> => {
    const { placeTogether, shop } = openByHand(await fileOf(folder, count, "by hand"))
    const id = idsOf(count)
    const call = { get: async () => shop.petWithStock(id()), order: () => placeTogether(id()) }[what]
    return { work: (end) => callUntil(end, what === "get" ? 1 : callers, call) }
  }

/** Pets with an index of their words. */
const openSearched = async (folder: string): Promise<Petstore> => {
  const file = join(folder, "search.db")
  if (!existsSync(file)) await fill(file, few)
  return createPetstore({ storage: sqlite(file), search: "words" })
}

const selectFound = `SELECT id, name, category_id, status FROM petstore_pets_words JOIN petstore_pets ON id = petstore_pets_words.rowid
  WHERE petstore_pets_words MATCH ? ORDER BY petstore_pets_words.rowid LIMIT 21`

export const contenders: Contenders = {
  search: async ({ folder }) => {
    const petstore = await openSearched(folder)
    const id = idsOf(few)
    return { work: (end) => callUntil(end, 1, () => petstore.pets.list({ search: `pet ${id()}`, limit: 20 })) }
  },
  "search by hand": async ({ folder }) => {
    await (await openSearched(folder)).close()
    const database = openDatabase("node:sqlite", join(folder, "search.db"))
    const [id, page] = [idsOf(few), prepare<object>(database, selectFound)]
    return { work: (end) => callUntil(end, 1, async () => page.all(`pet* ${id()}*`)) }
  },
  "get, many": ours(many, "get"),
  "get, few": ours(few, "get"),
  "order, many": ours(many, "order"),
  "order, few": ours(few, "order"),
  "get by hand, many": byHand(many, "get"),
  "order by hand, many": byHand(many, "order")
}
