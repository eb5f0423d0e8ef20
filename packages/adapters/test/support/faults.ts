import type { Connection } from "../../src/sqlite/connection/Connection.ts"

/** Faults of one writer; each happens once after it is set. */
export interface Faults {
  /** The next COMMIT breaks a deferred foreign key. */
  commit: boolean
  /** The next write fails as on a full disk: SQLite rolls the whole transaction back. */
  write: boolean
}

const full = 13

/** A trigger cannot fail with the code of a full disk. */
const asFull = <A>(write: () => A): A => {
  try {
    return write()
  } catch (cause) {
    throw cause instanceof Error && cause.message === lost ? Object.assign(cause, { errcode: full }) : cause
  }
}

const lost = "all is lost"

const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE ? || '%'"

/** Makes the writer of a store able to fail, by SQLite's own means and on this connection alone. */
export const faultsOf = (writer: Connection): Faults => {
  const faults = { commit: false, write: false }
  const { database } = writer
  database.function("write_fault", () => {
    const happens = faults.write
    faults.write = false
    return Number(happens)
  })
  for (const { name } of database.prepare(tables).all(writer.prefix)) {
    for (const operation of ["INSERT", "UPDATE", "DELETE"]) {
      database.exec(`CREATE TEMP TRIGGER lose_${operation}_${name} BEFORE ${operation} ON main.${name} WHEN write_fault()
        BEGIN SELECT RAISE(ROLLBACK, '${lost}'); END`)
    }
  }
  database.exec(`CREATE TEMP TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TEMP TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED)`)
  const run = writer.run.bind(writer)
  writer.run = (sql) => {
    if (sql === "COMMIT" && faults.commit) {
      faults.commit = false
      database.exec("INSERT INTO child VALUES (1)")
    }
    run(sql)
  }
  const perform = writer.perform.bind(writer)
  writer.perform = (statement, values) => asFull(() => perform(statement, values))
  const insert = writer.insert.bind(writer)
  writer.insert = (sql, values) => asFull(() => insert(sql, values))
  return faults
}
