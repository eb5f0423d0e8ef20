import { DatabaseSync, StatementSync } from "node:sqlite"
import type { Call, StatementFault } from "./Scenario.ts"

/** The result codes of SQLite, and whether it rolls the transaction back with such an error. */
const errors = {
  IOERR: { code: 10, text: "disk I/O error", rollsBack: true },
  FULL: { code: 13, text: "database or disk is full", rollsBack: true },
  BUSY: { code: 5, text: "database is locked", rollsBack: false },
  NOMEM: { code: 7, text: "out of memory", rollsBack: true }
} satisfies Record<StatementFault["error"], unknown>

/** The statements of all connections of this thread, by the methods of node:sqlite, which this replaces. */
export class FailingStatements {
  private isOn = false
  private fault: StatementFault | undefined
  private readonly calls: Array<Call> = []
  /** Is called with the first statement that fails. */
  onFailure = (_sql: string): void => {}

  constructor() {
    const databases = new WeakMap<StatementSync, DatabaseSync>()
    const { exec, prepare } = DatabaseSync.prototype
    const check = (name: string, database: DatabaseSync) =>
      this.check(name, () => exec.call(database, "ROLLBACK"), database)
    DatabaseSync.prototype.exec = function (sql) {
      check(sql, this)
      exec.call(this, sql)
    }
    DatabaseSync.prototype.prepare = function (sql, ...options) {
      check(`prepare ${sql}`, this)
      const statement = prepare.call(this, sql, ...options)
      databases.set(statement, this)
      return statement
    }
    for (const method of ["get", "all", "run", "iterate"] as const) {
      const original = StatementSync.prototype[method]
      Object.defineProperty(StatementSync.prototype, method, {
        value(this: StatementSync, ...args: Array<unknown>) {
          const database = databases.get(this)
          if (database !== undefined) check(this.sourceSQL, database)
          return Reflect.apply(original, this, args)
        }
      })
    }
  }

  /** Counts statements from now on, of which the one of the fault fails. */
  start(fault: StatementFault | undefined): void {
    this.calls.length = 0
    this.fault = fault
    this.isOn = true
  }

  pause(): void {
    this.isOn = false
  }

  resume(): void {
    this.isOn = true
  }

  get list(): ReadonlyArray<Call> {
    return [...this.calls]
  }

  private check(sql: string, rollBack: () => void, { isTransaction }: DatabaseSync): void {
    if (!this.isOn) return
    this.calls.push({ name: sql.trim().replaceAll(/\s+/g, " ").slice(0, 56), transfers: false })
    const { at = 0, error = "IOERR", persists = false } = this.fault ?? {}
    const number = this.calls.length
    if (at === 0 || number < at || (number > at && !persists)) return
    if (number === at) this.onFailure(sql.trim().replaceAll(/\s+/g, " "))
    const { code, rollsBack, text } = errors[error]
    if (rollsBack && isTransaction && !sql.startsWith("prepare")) rollBack()
    throw Object.assign(new Error(text), { code: "ERR_SQLITE_ERROR", errcode: code, errstr: text })
  }
}
