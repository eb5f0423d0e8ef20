import { assert, describe, it } from "@effect/vitest"
import { commitError, isBusy, statementError } from "./errors.ts"

const sqliteError = (errcode: number) => Object.assign(new Error("from SQLite"), { code: "ERR_SQLITE_ERROR", errcode })

const cases: ReadonlyArray<readonly [what: string, errcode: number, statement: string, commit: string]> = [
  ["a busy database", 5, "StorageBusy", "StorageBusy"],
  ["a snapshot that is too old", 517, "StorageBusy", "StorageBusy"],
  ["a locked table", 6, "StorageBusy", "StorageBusy"],
  ["a full disk", 13, "StorageFull", "StorageFull"],
  ["an I/O error", 10, "StorageUnavailable", "CommitUnknown"],
  ["a failing fsync", 1034, "StorageUnavailable", "CommitUnknown"],
  ["bytes that could not be written", 778, "StorageUnavailable", "StorageUnavailable"],
  ["too little memory", 7, "StorageUnavailable", "StorageUnavailable"],
  ["a file that cannot be opened", 14, "StorageUnavailable", "StorageUnavailable"],
  ["a file that may only be read", 8, "StorageUnavailable", "StorageUnavailable"],
  ["locks that cannot be taken", 15, "StorageUnavailable", "StorageUnavailable"],
  ["a broken constraint", 787, "InternalError", "InternalError"],
  ["a damaged file", 11, "InternalError", "InternalError"]
]

describe("an error of SQLite", () => {
  for (const [what, errcode, statement, commit] of cases) {
    it(`is ${statement} for ${what}, and ${commit} at COMMIT`, () => {
      const cause = sqliteError(errcode)
      assert.strictEqual(statementError(cause)._tag, statement)
      assert.strictEqual(commitError(cause)._tag, commit)
      assert.strictEqual(statementError(cause).cause, cause)
      assert.strictEqual(isBusy(cause), statement === "StorageBusy")
    })
  }

  for (const [code, statement, commit] of [
    ["SQLITE_BUSY_SNAPSHOT", "StorageBusy", "StorageBusy"],
    ["SQLITE_FULL", "StorageFull", "StorageFull"],
    ["SQLITE_IOERR_FSYNC", "StorageUnavailable", "CommitUnknown"],
    ["SQLITE_IOERR_WRITE", "StorageUnavailable", "StorageUnavailable"],
    ["SQLITE_CONSTRAINT_CHECK", "InternalError", "InternalError"]
  ]) {
    it(`is ${statement} for ${code} of another driver, and ${commit} at COMMIT`, () => {
      const cause = Object.assign(new Error("from SQLite"), { code })
      assert.strictEqual(statementError(cause)._tag, statement)
      assert.strictEqual(commitError(cause)._tag, commit)
    })
  }

  it("is found if a library has wrapped it", () => {
    const wrapped = new Error("Failed query", { cause: new Error("Failed to run", { cause: sqliteError(517) }) })
    assert.strictEqual(statementError(wrapped)._tag, "StorageBusy")
    assert.strictEqual(statementError(wrapped).cause, wrapped)
  })

  it("is ShuttingDown if the connection is closed", () => {
    const cause = Object.assign(new Error("database is not open"), { code: "ERR_INVALID_STATE" })
    assert.strictEqual(statementError(cause)._tag, "ShuttingDown")
  })

  it("is InternalError for anything else, with that as its cause", () => {
    for (const cause of [new TypeError("a bug"), "text", undefined, null, { errcode: "5" }]) {
      assert.strictEqual(statementError(cause)._tag, "InternalError")
      assert.strictEqual(statementError(cause).cause, cause)
    }
  })
})
