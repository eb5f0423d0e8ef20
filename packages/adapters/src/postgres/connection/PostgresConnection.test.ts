import { assert, describe, it } from "@effect/vitest"
import type { DriverClient, DriverNotice } from "./driver.ts"
import { PostgresConnection } from "./PostgresConnection.ts"

describe("given a server that reports in another language", () => {
  it("when it warns and then gives notice, then the warning is taken, and the notice is not", () => {
    let report: (notice: DriverNotice) => void = () => {}
    const client: DriverClient = {
      query: () => {},
      on: (event: string, listener: (notice: DriverNotice) => void) => {
        if (event === "notice") report = listener
      },
      removeListener: () => {}
    }
    const connection = new PostgresConnection(client, undefined)
    const warning = { severity: "WARNUNG", code: "01000", message: "storniere Warten auf synchrone Replikation" }
    const notice = { severity: "HINWEIS", code: "00000", message: "wird übersprungen" }
    report(warning)
    report(notice)
    report({ ...notice, code: "42P07" })
    assert.deepStrictEqual([connection.takeWarning(), connection.takeWarning()], [warning.message, undefined])
  })
})
