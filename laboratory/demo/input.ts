import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** A file of pets, and the expected result of its import. */
export interface Input {
  readonly file: string
  readonly description: string
  readonly imported: number
  readonly rejected: number
}

const names = ["Tom", "Zoë", "O'Malley", "犬太郎", "Фёдор", 'Señor "Paws"', "Bob, Jr.", "🐶", "Ünal", "Luna"]
const species = ["Cat", "Dog", "Pig", "Goat", "Ziege", "ねこ"]

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const rows = 5_000
const namelessEvery = 97

/** The same rows every time: names of many scripts, many of them twice and more, some rows without a name. */
const writeRows = (file: string): number => {
  const lines = Array.from({ length: rows }, (_, at) => {
    const name =
      at % namelessEvery === 0 ? "" : `${names[(at * 7) % names.length]}${at % 3 === 0 ? "" : ` ${at % 500}`}`
    return [String(at), name, species[(at * at) % species.length] ?? "Cat"].map(quoted).join(",")
  })
  writeFileSync(file, `license_number,animal_name,species\n${lines.join("\n")}\n`)
  return Math.ceil(rows / namelessEvery)
}

/** Writes a file of pets into this folder. */
export const writeInput = (folder: string): Input => {
  const file = join(folder, "pets.csv")
  const rejected = writeRows(file)
  return { file, description: `${rows} generated rows`, imported: rows - rejected, rejected }
}
