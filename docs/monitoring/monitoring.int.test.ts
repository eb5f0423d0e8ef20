import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Storage } from "@petstore/core/ports"
import { consumers, webhooks } from "@petstore/core/tables"
import { openApiDocument } from "@petstore/http/openapi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { vi } from "vitest"
import { parse } from "yaml"
import { temporaryFileInMemory } from "../../packages/adapters/test/support/temporary.ts"
import { newConsumer, newWebhookRecord } from "../../packages/core/testing/src/storage/rows.ts"
import { startServer } from "../../packages/http/test/support/TestServer.ts"

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const textOf = (name: string): string => readFileSync(pathOf(name), "utf8")

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}

const rules: ReadonlyArray<Rule> = parse(textOf("alerts.yml")).groups.flatMap(
  (group: { readonly rules: ReadonlyArray<Rule> }) => group.rules
)

interface Panel {
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

const dashboard: { readonly panels: ReadonlyArray<Panel> } = JSON.parse(textOf("dashboard.json"))

const { homepage: readme } = JSON.parse(textOf("../../package.json"))
const homepage = readme.replace("#readme", "")

/** The rows of the runbook by alert. */
const rows = new Map(
  [...textOf("../runbook.md").matchAll(/^\| <a id="\w+"><\/a>`(\w+)`.+$/gm)].map(([row, alert = ""]) => [alert, row])
)

/** The statistics of a shop in which everything needs attention. */
const troubled = {
  transactions: { failed: 4 },
  webhooks: {
    endpoints: [
      { id: 1, enabled: false, pending: 0, failed: 0, oldestPending: 0 },
      { id: 2, enabled: true, pending: 0, failed: 1, oldestPending: 0 },
      { id: 3, enabled: true, pending: 9, failed: 0, oldestPending: 61 }
    ]
  },
  messages: { queued: 9, failed: 2, oldestQueued: 301 },
  consumers: [{ name: "mailer", position: 1, lag: 9, age: 61 }],
  reservations: { overdue: 3, oldestOverdue: 61 },
  verification: { violations: 2 }
}

/** The metrics of the figures that the console can read. Its count of open orders, which `GET /stats` does not have, is that of a list. */
const figures = {
  server: { uptime: "petstore_uptime_seconds", storage: "petstore_uptime_seconds" },
  transactions: {
    committed: "petstore_transactions_total",
    rejected: "petstore_transactions_total",
    failed: "petstore_transactions_total",
    retried: "petstore_transaction_retries_total",
    waiting: "petstore_transactions_waiting"
  },
  commits: { count: "petstore_commit_transactions_count", transactions: "petstore_commit_transactions_sum" },
  events: {
    earliest: "petstore_events_earliest",
    latest: "petstore_events_latest",
    subscribers: "petstore_event_subscribers",
    lag: "petstore_event_subscriber_lag"
  },
  consumers: { lag: "petstore_consumer_lag", age: "petstore_consumer_lag_seconds" },
  messages: {
    queued: "petstore_messages",
    failed: "petstore_messages",
    oldestQueued: "petstore_message_oldest_queued_seconds",
    attempts: "petstore_message_attempts_total"
  },
  reservations: {
    overdue: "petstore_reservations_overdue",
    oldestOverdue: "petstore_reservation_oldest_overdue_seconds",
    tooLong: "petstore_reservations_too_long"
  },
  webhooks: {
    enabled: "petstore_webhook_enabled",
    pending: "petstore_webhook_deliveries",
    failed: "petstore_webhook_deliveries",
    oldestPending: "petstore_webhook_oldest_pending_seconds",
    attempts: "petstore_webhook_attempts_total"
  },
  verification: { violations: "petstore_verification_violations" }
}

/** What else is in the statistics. */
const noFigures = ["at", "id", "name", "position", "largest", "groupSizes", "ok", "checks"]

const { schemas } = openApiDocument().components

/** The names of the statistics in a schema of the API, which are the types of the console too. Numbers by outcome or size count as one. */
const statisticsIn = (schema: string): ReadonlyArray<string> =>
  Object.entries(schemas[schema]?.properties ?? {}).flatMap(([name, property]) => {
    const [, inside = ""] = /"\$ref":"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(property)) ?? []
    const names = ["attempts", "groupSizes"].includes(name) ? [] : statisticsIn(inside)
    return names.length === 0 ? [name] : names
  })

/** Every expression of the files, with where it is. */
const expressions: ReadonlyArray<readonly [place: string, expression: string]> = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...dashboard.panels.flatMap(({ targets = [], title }) =>
    targets.map(({ expr }): [string, string] => [`panel "${title}"`, expr])
  ),
  ...[...textOf("dashboard.json").matchAll(/label_values\((\w+), \w+\)/g)].map(([, name = ""]): [string, string] => [
    "a variable of the dashboard",
    name
  ])
]

/** The names of the time series that a server exports, with their labels. */
const exportedSeries = Effect.gen(function* () {
  const { runtime, keyWith, send } = yield* startServer({ metrics: true, rateLimit: 1 })
  yield* Context.get(runtime, Storage).run(function* (tx) {
    tx.add(consumers, newConsumer())
    yield* tx.insert(webhooks, (id) => webhooks.withId(newWebhookRecord(), id))
  })
  yield* send("POST", "/v1/categories", { body: { name: "Cats" } })
  // One request more than the limit allows, and one that uses what is deprecated: they have metrics of their own.
  yield* send("GET", "/v1/pets")
  yield* send("GET", "/v1/pets/1", { key: yield* keyWith(["pets:read"]) })
  const { text } = yield* send("GET", "/metrics", { key: undefined })
  const series = new Map<string, Set<string>>()
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Set<string>()
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label)
    series.set(name, known)
  }
  return series
}).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()))

/** The labels that Prometheus adds. */
const ofPrometheus = ["job", "instance"]

describe("given the alerts and the dashboard", () => {
  it.effect(
    "when their expressions are compared with what a server exports, then they name its metrics and labels",
    () =>
      Effect.gen(function* () {
        const series = yield* exportedSeries
        assert.isAbove(expressions.length, 30)
        for (const [place, expression] of expressions) {
          const named = [...expression.matchAll(/\b((?:petstore|process|nodejs)_\w+|up)(?:\{([^}]*)\})?/g)]
          assert.isNotEmpty(named, place)
          const labels = new Set(ofPrometheus)
          for (const [, name = "", matchers = ""] of named) {
            if (name === "up") continue
            const known = series.get(name)
            if (known === undefined) return assert.fail(`${place}: no server exports ${name}`)
            for (const label of known) labels.add(label)
            for (const [, label = ""] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
              assert.isTrue(known.has(label) || ofPrometheus.includes(label), `${place}: ${name} has no label ${label}`)
            }
          }
          for (const [, list = ""] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
            for (const label of list.split(",")) {
              assert.isTrue(labels.has(label.trim()), `${place}: no metric in it has the label ${label.trim()}`)
            }
          }
        }
      })
  )

  it("when a rule fires, then it has a severity, a summary, and the link to its row in the runbook", () => {
    const names = rules.map(({ alert }) => alert)
    assert.deepStrictEqual(names, [...new Set(names)])
    for (const { alert, annotations, labels } of rules) {
      assert.match(labels.severity, /^(page|ticket)$/, alert)
      assert.isNotEmpty(annotations.summary, alert)
      assert.strictEqual(annotations.runbook_url, `${homepage}/blob/main/docs/runbook.md#${alert.toLowerCase()}`)
    }
    assert.deepStrictEqual([...rows.keys()].toSorted(), names.toSorted())
    for (const [alert, row] of rows) assert.include(row, `<a id="${alert.toLowerCase()}"></a>`)
  })
})

describe("given the overview of the console", () => {
  it("when lines need attention, then each has an alert, and is in its row of the runbook, to which it links", async () => {
    vi.stubGlobal("location", { hash: "" })
    vi.stubGlobal("addEventListener", () => {})
    // A module of the browser: its types are checked with the console.
    const path = pathOf("../../packages/http/console/pages/overview/concerns.ts")
    const found: ReadonlyArray<{ readonly alert: string; readonly title: string }> = await import(path)
      .then(({ concernsOf }) => concernsOf(troubled))
      .finally(() => vi.unstubAllGlobals())
    for (const { alert, title } of found) assert.include(rows.get(alert), `*${title}*`)
    const shown = found.map(({ title }) => title)
    const listed = [...rows.values()].flatMap((row) =>
      [...(row.split(" | ")[0] ?? "").matchAll(/\*(.+?)\*/g)].map(([, line = ""]) => line)
    )
    assert.deepStrictEqual(shown.toSorted(), listed.toSorted())
    // Every template of a title was filled in.
    const written = readFileSync(path, "utf8").match(/title(?::| =) ["`]/g) ?? []
    assert.lengthOf(shown, written.length)
  })

  it("when it reads statistics, then all of them are known here", () => {
    const read = statisticsIn("ServerStats")
    const known = [...Object.values(figures).flatMap((of) => Object.keys(of)), ...noFigures]
    assert.deepStrictEqual([...new Set(read)].toSorted(), [...new Set(known)].toSorted())
  })

  it("when it shows a figure, then a panel of the dashboard shows its metric", () => {
    const text = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n")
    const metrics = Object.values(figures).flatMap((of) => Object.values(of))
    for (const metric of metrics) assert.match(text, new RegExp(`\\b${metric}\\b`), metric)
  })
})

const promtool = ((): boolean => {
  try {
    execFileSync("promtool", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

/** The expressions of the dashboard as rules, with the variables of Grafana filled in. */
const asRules = JSON.stringify({
  groups: [
    {
      name: "all",
      rules: expressions.map(([, expr], index) => ({
        record: `expression_${index}`,
        expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*")
      }))
    }
  ]
})

describe.skipIf(!promtool)(
  `given promtool of Prometheus${promtool ? "" : " (skipped: promtool is not installed)"}`,
  () => {
    it.effect("when it checks the alerts and the queries of the dashboard, then it accepts them", () =>
      Effect.gen(function* () {
        const file = yield* temporaryFileInMemory
        writeFileSync(file, asRules)
        execFileSync("promtool", ["check", "rules", pathOf("alerts.yml"), file], { stdio: "pipe" })
      })
    )

    it("when series are born late or rise from 0 for the first time, then the alerts fire", () => {
      execFileSync("promtool", ["test", "rules", pathOf("alerts.test.yml")], { stdio: "pipe" })
    })
  }
)
