import { createRequire } from "node:module"
import { openFile } from "../nodeSqlite.ts"
import type { Connection } from "../synchronousSql.ts"

const folder = process.env.PETSTORE_TEST_BETTER_SQLITE3

const openBetter = (path: string): ((file: string) => Connection) => {
  const Database = createRequire(import.meta.url)(path)
  return (file) => new Database(file)
}

/** Opens a file with better-sqlite3, if the environment names its folder, otherwise with `node:sqlite` in the same form. */
export const open: (file: string) => Connection = folder === undefined ? openFile : openBetter(folder)
