import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Storage } from "@petstore/core/ports"
import { consumers, webhooks } from "@petstore/core/tables"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
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
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

const rules: ReadonlyArray<Rule> = parse(textOf("alerts.yml")).groups.flatMap(
  (group: { readonly rules: ReadonlyArray<Rule> }) => group.rules
)

interface Panel {
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

const dashboard: { readonly panels: ReadonlyArray<Panel> } = JSON.parse(textOf("dashboard.json"))

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
  const { engine, keyWith, send } = yield* startServer({ metrics: true, rateLimit: 1 })
  yield* Context.get(engine, Storage).run(function* (tx) {
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

  it("when a rule fires, then it has a severity, a summary and what to do, with pages that exist", () => {
    const names = rules.map(({ alert }) => alert)
    assert.deepStrictEqual(names, [...new Set(names)])
    for (const { alert, annotations, labels } of rules) {
      assert.match(labels.severity, /^(page|ticket)$/, alert)
      assert.isNotEmpty(annotations.summary, alert)
      assert.isNotEmpty(annotations.runbook, alert)
      for (const [, page = "", anchor] of annotations.runbook.matchAll(/docs\/(\w+\.md)(?:#([\w-]+))?/g)) {
        const headings = [...textOf(`../${page}`).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
          heading.toLowerCase().replaceAll(" ", "-")
        )
        if (anchor !== undefined) assert.include(headings, anchor, alert)
      }
    }
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
