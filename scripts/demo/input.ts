import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A file of pets, and the expected result of its import. */
export interface Input {
  readonly file: string
  readonly description: string
  readonly imported: number
  readonly rejected: number
}

const seattle = fileURLToPath(new URL("../../../shared/data/seattle-pets.csv", import.meta.url))

const names = ["Tom", "Zoë", "O'Malley", "犬太郎", "Фёдор", 'Señor "Paws"', "Bob, Jr.", "🐶", "Ünal", "Luna"]
const species = ["Cat", "Dog", "Pig", "Goat", "Ziege", "ねこ"]

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const rows = 5_000
const namelessEvery = 97

/** The same rows every time: names of many scripts, many of them twice and more, some rows without a name. */
const writeOwn = (file: string): number => {
  const lines = Array.from({ length: rows }, (_, at) => {
    const name =
      at % namelessEvery === 0 ? "" : `${names[(at * 7) % names.length]}${at % 3 === 0 ? "" : ` ${at % 500}`}`
    return [String(at), name, species[(at * at) % species.length] ?? "Cat"].map(quoted).join(",")
  })
  writeFileSync(file, `license_number,animal_name,species\n${lines.join("\n")}\n`)
  return Math.ceil(rows / namelessEvery)
}

/** The pet licences of Seattle if the file exists, else (or on request) a smaller file of our own in this folder. */
export const chooseInput = (folder: string, own: boolean): Input => {
  if (!own && existsSync(seattle)) {
    return { file: seattle, description: "52,519 pet licences of Seattle", imported: 52_036, rejected: 483 }
  }
  const file = join(folder, "pets.csv")
  const rejected = writeOwn(file)
  return { file, description: `${rows} generated rows`, imported: rows - rejected, rejected }
}
