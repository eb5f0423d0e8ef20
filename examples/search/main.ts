import { DatabaseSync } from "node:sqlite"
import { createPetstore, type Petstore } from "@petstore/core"

/** An index of the names of pets in a file of its own, which each search brings up to date. */
const openSearch = (petstore: Petstore, file: string) => {
  const index = new DatabaseSync(file)
  index.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS pet_names USING fts5(name, tokenize = 'trigram');
    CREATE TABLE IF NOT EXISTS position (seq INTEGER);
    INSERT INTO position SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM position)`)
  const remove = index.prepare("DELETE FROM pet_names WHERE rowid = ?")
  const add = index.prepare("INSERT INTO pet_names (rowid, name) VALUES (?, ?)")
  const move = index.prepare("UPDATE position SET seq = ?")
  const select = index.prepare("SELECT rowid AS id FROM pet_names WHERE name MATCH ? ORDER BY rowid LIMIT 20")
  const types = ["pet.created", "pet.updated", "pet.deleted"] as const

  const update = async () => {
    const after = Number(index.prepare("SELECT seq FROM position").get()?.seq)
    for await (const { data, seq, subject } of petstore.events.all({ after, types: [...types], limit: 100 })) {
      const id = Number(subject.slice("pets/".length))
      index.exec("BEGIN")
      remove.run(id)
      if ("name" in data) add.run(id, data.name)
      move.run(seq)
      index.exec("COMMIT")
    }
  }
  return async (part: string) => {
    await update()
    const id = select.all(`"${part.replaceAll('"', '""')}"`).map((row) => Number(row.id))
    return id.length === 0 ? [] : (await petstore.pets.list({ id })).items
  }
}

await using petstore = await createPetstore()
const { id: categoryId } = await petstore.categories.create({ name: "Rabbits" })
const names = ["Flopsy", "Mopsy", "Cotton-tail"]
const [flopsy] = await petstore.pets.createAll(names.map((name) => ({ name, categoryId })))

const search = openSearch(petstore, "search.db")
const print = async (part: string): Promise<void> => {
  const found = await search(part)
  console.log(`${part}: ${found.map(({ name }) => name).join(", ")}`)
}
await print("OPS")
await petstore.pets.update(flopsy?.id ?? 0, { name: "Benjamin" })
await print("OPS")
await print("jam")
