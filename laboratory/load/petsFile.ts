import { writeFileSync } from "node:fs"
import { join } from "node:path"

const header = "license_issue_date,license_number,animal_name,species,primary_breed,secondary_breed,zip_code"
const names = [
  "Luna",
  "Max",
  "Charlie",
  "Wall-E",
  "Mr. Darcy",
  "Zoë",
  "O'Malley",
  '"Señor ""Paws"""',
  "犬太郎",
  "Bella"
]
const breeds = [
  '"Mixed Breed, Medium (up to 44 lbs fully grown)",Mix',
  '"Terrier, Jack Russell","Dachshund, Standard Wire Haired"',
  '"Retriever, Labrador",',
  "Domestic Shorthair,"
]
export const namelessEvery = 109

/** The same rows every time, of the shape of a register of pet licences: seven columns, quoted cells, rows without a name. */
const generated = (rows: number): string => {
  const line = (n: number): string => {
    const name = n % namelessEvery === 0 ? "" : n % 3 === 0 ? names[n % names.length] : `${names[n % 3]} ${n % 15_000}`
    const species = n % 1_000 === 7 ? "Goat" : n % 3 === 0 ? "Cat" : "Dog"
    return `2018-11-${10 + (n % 20)},S${100_000 + n},${name},${species},${breeds[n % breeds.length]},981${10 + (n % 90)}`
  }
  return `${header}\n${Array.from({ length: rows }, (_, n) => line(n)).join("\n")}\n`
}

/** Writes a file of so many pets, with the columns `animal_name` and `species`, into this folder. */
export const petsFile = (folder: string, rows: number): string => {
  const file = join(folder, "pets.csv")
  writeFileSync(file, generated(rows))
  return file
}
