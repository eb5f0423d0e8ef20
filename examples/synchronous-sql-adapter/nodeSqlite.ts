import { DatabaseSync } from "node:sqlite"
import type { Connection } from "./synchronousSql.ts"

/** Opens a file with `node:sqlite`, in the form of better-sqlite3. */
export const openFile = (file: string): Connection => {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  return {
    get inTransaction() {
      return database.isTransaction
    },
    prepare: (sql) => {
      const statement = database.prepare(sql)
      return {
        reader: statement.columns().length > 0,
        all: (...values) => statement.all(...values),
        run: (...values) => statement.run(...values)
      }
    },
    exec: (sql) => database.exec(sql),
    close: () => database.close()
  }
}
