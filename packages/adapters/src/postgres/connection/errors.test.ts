import { assert, describe, it } from "@effect/vitest"
import { StorageBusy } from "@petstore/core/domain"
import { commitError, isConflict, isConnectionLoss, NotSent, sqlState, statementError } from "./errors.ts"

const ofServer = (code: string): Error => Object.assign(new Error("refused"), { code })

const codes: ReadonlyArray<readonly [state: string, code: string]> = [
  ["40001", "storage_busy"],
  ["40P01", "storage_busy"],
  ["55P03", "storage_busy"],
  ["57014", "storage_busy"],
  ["53300", "storage_busy"],
  ["57P01", "storage_busy"],
  ["08006", "storage_busy"],
  ["25P03", "storage_busy"],
  ["53100", "storage_full"],
  ["53200", "storage_busy"],
  ["53400", "storage_unavailable"],
  ["54000", "storage_unavailable"],
  ["22021", "validation_failed"],
  ["22P05", "validation_failed"],
  ["25006", "storage_unavailable"],
  ["58030", "storage_unavailable"],
  ["28P01", "storage_unavailable"],
  ["3D000", "storage_unavailable"],
  ["42501", "storage_unavailable"],
  ["26000", "storage_unavailable"],
  ["42P05", "storage_unavailable"],
  ["23514", "internal_error"],
  ["42P01", "internal_error"]
]

describe("statementError", () => {
  for (const [state, code] of codes) {
    it(`given the SQLSTATE ${state}, it is ${code}`, () => {
      const cause = ofServer(state)
      const error = statementError(cause)
      assert.strictEqual(error.code, code)
      assert.strictEqual(error.cause, cause)
    })
  }

  it("given an error without a SQLSTATE, the connection is lost", () => {
    assert.strictEqual(statementError(new Error("Connection terminated unexpectedly")).code, "storage_busy")
    assert.strictEqual(
      statementError(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })).code,
      "storage_busy"
    )
    assert.strictEqual(statementError(Object.assign(new Error("write"), { code: "EPIPE" })).code, "storage_busy")
  })

  it("given a storage error, it stays what it is", () => {
    const busy = new StorageBusy({})
    assert.strictEqual(statementError(busy), busy)
  })
})

describe("commitError", () => {
  it("given a lost connection, the outcome is unknown; given an error of the server, nothing was committed", () => {
    assert.strictEqual(commitError(new Error("Connection terminated unexpectedly")).code, "commit_unknown")
    assert.strictEqual(commitError(ofServer("57P01")).code, "commit_unknown")
    assert.strictEqual(commitError(new NotSent()).code, "storage_busy")
    assert.strictEqual(commitError(ofServer("40001")).code, "storage_busy")
    assert.strictEqual(commitError(ofServer("23514")).code, "internal_error")
  })
})

describe("sqlState", () => {
  it("given an error that a library has wrapped, it is that of the cause", () => {
    assert.strictEqual(sqlState(new Error("query failed", { cause: ofServer("40P01") })), "40P01")
    assert.isTrue(isConflict(new Error("query failed", { cause: ofServer("40P01") })))
    assert.isFalse(isConnectionLoss(ofServer("23505")))
  })
})
