import { it } from "vitest"
import type { Setting } from "../packages/http/src/cli/Setting.ts"
import * as database from "../packages/http/src/cli/settings/database.ts"
import * as observability from "../packages/http/src/cli/settings/observability.ts"
import * as postgres from "../packages/http/src/cli/settings/postgres.ts"
import * as retention from "../packages/http/src/cli/settings/retention.ts"
import * as secrets from "../packages/http/src/cli/settings/secrets.ts"
import * as server from "../packages/http/src/cli/settings/server.ts"
import { expectGenerated, tableOf } from "./support/generatedTables.ts"

const code = (text: string): string => (text === "" ? "" : `\`${text}\``)

/** The settings of a file of declarations. The one of a subcommand that takes the same variable as `serve` stands behind that one. */
const settingsOf = (declarations: object): ReadonlyArray<Setting<unknown>> => {
  const settings = Object.values(declarations).filter((value) => typeof value === "object" && "env" in value)
  return settings.filter(({ env }, index) => settings.findIndex((other) => other.env === env) === index)
}

/** What a value may be, unless the default shows it. */
const expectedOf = ({ expected }: Setting<unknown>): string => {
  const text = expected.replace("a whole number from ", "").replace("a port from ", "")
  return /^(?:a duration|off or on|on or off|an API key)/.test(text) ? "" : ` (${text})`
}

const table = (declarations: object): string =>
  tableOf(
    ["Flag, variable", "Default", "Meaning (values)"],
    settingsOf(declarations).map((setting) => [
      [...(setting.flag === undefined ? [] : [code(`--${setting.flag}`)]), code(setting.env)].join(", "),
      code(setting.default),
      setting.description + expectedOf(setting)
    ])
  )

it("docs/settings.md has every setting of the command, as it is declared", () => {
  const { proofSchema, remoteKey, remoteUrl, ...ofDatabase } = database
  return expectGenerated("settings", {
    server: table(server),
    database: table(ofDatabase),
    postgres: table(postgres),
    retention: table(retention),
    observability: table(observability),
    secrets: table(secrets),
    "other commands": table({ proofSchema, remoteUrl, remoteKey })
  })
})
