import { readFile } from "node:fs/promises"
import { memory, Petstore } from "@petstore/core/effect"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { assert, it } from "vitest"

const section = async (title: string): Promise<string> => {
  const text = await readFile(new URL("./monitoring.md", import.meta.url), "utf8")
  return text.split(/^###? /m).find((part) => part.startsWith(title)) ?? assert.fail(`There is no section ${title}`)
}

/** The metrics of a table: name, type, labels and description. */
const listedIn = (text: string) =>
  [...text.matchAll(/^\| `(\w+)(?:\{([\w,]+)\})?` \| (\w+), (?:process|store) \| (.+?) \|$/gm)].map(
    ([, id = "", labels, type, description]) => ({ id, type, labels: labels?.split(",") ?? [], description })
  )

it("docs/monitoring.md lists the metrics of a petstore with their types, labels and descriptions", async () => {
  const found = await Effect.runPromise(
    Effect.gen(function* () {
      const { events, stats, webhooks } = yield* Petstore
      yield* webhooks.create({ url: "https://example.com/" })
      yield* events.consume("invoices", () => Effect.void)
      yield* stats
      return yield* Metric.snapshot
    }).pipe(
      Effect.scoped,
      Effect.provide(Petstore.layer(memory())),
      Effect.provideService(Metric.MetricRegistry, new Map())
    )
  )
  const reported = found.map(({ attributes = {}, description, id, type }) => ({
    id,
    type: type.toLowerCase(),
    labels: Object.keys(attributes).filter((label) => label !== "storage"),
    description
  }))
  const once = [...new Map(reported.map((metric) => [metric.id, metric])).values()]
  const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1)
  assert.deepStrictEqual(listedIn(await section("Metrics\n")).sort(byId), once.sort(byId))
})
