import { EventType, eventScopeOf, eventScopes, Preset, presets, Scope } from "@petstore/core/domain"
import { it } from "vitest"
import { operations } from "../packages/http/src/api/operations.ts"
import { expectGenerated, tableOf } from "./support/generatedTables.ts"

const listed = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

const operationsOf = (scope: Scope): ReadonlyArray<string> =>
  operations.filter(({ scopes }) => scopes.includes(scope)).map(({ id }) => id)

/** The kinds of events of a scope, such as `pet.*`. */
const kindsOf = (scope: Scope): ReadonlyArray<string> => {
  const types = EventType.literals.filter((type) => eventScopeOf(type) === scope)
  return [...new Set(types.map((type) => type.replace(/\..*/, ".*")))]
}

/** What scopes allow that no operation names alone. */
const beside: Partial<Record<Scope, string>> = {
  "orders:fulfil": "completing orders",
  "orders:own": `of [the caller's own orders](#own-orders): ${listed(operations.filter(({ ownScope }) => ownScope !== undefined).map(({ id }) => id))}`,
  "orders:owners": `owners in records of orders: ${listed(operations.filter(({ ownersScope }) => ownersScope !== undefined).map(({ id }) => id))}`,
  ...Object.fromEntries(eventScopes.map((scope) => [scope, `events ${listed(kindsOf(scope))}`]))
}

const presetsWith = (scope: Scope): ReadonlyArray<Preset> =>
  Preset.literals.filter((preset) => presets[preset].includes(scope))

it("docs/access.md has every scope with its operations and presets, as the API declares them", () =>
  expectGenerated("access", {
    scopes: tableOf(
      ["Scope", "Allows", "Presets"],
      Scope.literals.map((scope) => [
        `\`${scope}\``,
        beside[scope] ??
          (scope === "admin"
            ? `everything; only it allows ${listed(operationsOf(scope))}, and events ${listed(kindsOf(scope))}`
            : listed(operationsOf(scope))),
        listed(presetsWith(scope))
      ])
    )
  }))
