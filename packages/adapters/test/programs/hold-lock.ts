// Writes to a file, and holds the lock until it reads a line of input.
import { DatabaseSync } from "node:sqlite"

const database = new DatabaseSync(process.argv[2] ?? "")
database.exec("BEGIN IMMEDIATE")
process.stdout.write("locked\n")
process.stdin.once("data", () => {
  database.exec("ROLLBACK")
  database.close()
  process.exit(0)
})
