import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import type { Value } from "../sql/Sql.ts"

const toInput = (value: Value): SQLInputValue =>
  value === undefined ? null : typeof value === "boolean" ? Number(value) : value

/** Values as `node:sqlite` takes them. */
export const bind = (values: ReadonlyArray<Value>): Array<SQLInputValue> => values.map(toInput)

/** A connection to the file, and the statements it has prepared. */
export class Connection {
  readonly database: DatabaseSync
  private readonly prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.database = database
  }

  /** Prepared on first use. The statements of a store are few and known, so all are kept. */
  prepare(sql: string): StatementSync {
    let statement = this.prepared.get(sql)
    if (statement === undefined) {
      statement = this.database.prepare(sql)
      this.prepared.set(sql, statement)
    }
    return statement
  }

  run(sql: string): void {
    this.prepare(sql).run()
  }

  /** Whether a transaction is open. SQLite ends one by itself after some errors. */
  get inTransaction(): boolean {
    return this.database.isTransaction
  }

  /** Takes back what is open, if anything is. */
  rollback(): void {
    if (this.database.isOpen && this.inTransaction) this.run("ROLLBACK")
  }
}
