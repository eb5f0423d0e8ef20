import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root, withoutCode } from "./support/markdownFiles.ts"

/**
 * For each page, the most words (as `wc -w` counts them), and the most phrases that our style avoids. A sentence more needs one less elsewhere, or
 * a link: each fact has one home. Lower a number when a page has become shorter; 0 phrases is the goal.
 */
const ceilings: Readonly<Record<string, readonly [words: number, phrases: number]>> = {
  "docs/README.md": [250, 0],
  "docs/access.md": [1_450, 0],
  "docs/adapters.md": [2_020, 0],
  "docs/architecture.md": [1_440, 0],
  "docs/capabilities.md": [310, 0],
  "docs/client.md": [1_110, 0],
  "docs/concepts.md": [860, 0],
  "docs/console.md": [680, 0],
  "docs/decisions.md": [2_200, 0],
  "docs/embedding.md": [1_870, 0],
  "docs/errors.md": [1_610, 0],
  "docs/events.md": [2_260, 0],
  "docs/getting-started.md": [510, 0],
  "docs/host-database.md": [2_000, 0],
  "docs/http.md": [1_480, 0],
  "docs/invariants.md": [1_810, 0],
  "docs/messages.md": [780, 0],
  "docs/monitoring.md": [1_590, 0],
  "docs/mounting.md": [1_070, 0],
  "docs/openapi.md": [890, 0],
  "docs/operations.md": [2_490, 0],
  "docs/orders.md": [1_750, 0],
  "docs/packages.md": [590, 0],
  "docs/performance.md": [800, 0],
  "docs/postgres-operations.md": [2_020, 0],
  "docs/postgres.md": [1_930, 0],
  "docs/reliability.md": [1_420, 0],
  "docs/rules.md": [700, 0],
  "docs/runbook.md": [620, 0],
  "docs/security.md": [1_370, 0],
  "docs/settings.md": [1_450, 0],
  "docs/testing.md": [810, 0],
  "docs/upgrade-policy.md": [680, 0],
  "docs/webhooks.md": [1_700, 0],
  "CHANGELOG.md": [230, 0],
  "CONTRIBUTING.md": [1_420, 0],
  "README.md": [730, 0],
  "SECURITY.md": [300, 0]
}

/** What gives away a sentence that says too much, hides its subject, or tells history. */
const phrases =
  /\b(?:alone|for so long|so many|gets|one that|nor|if absent|since then|now|for a while|whoever|somebody|is told|not kept)\b/gi

const pages = [
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...readdirSync(root).filter((name) => name.endsWith(".md"))
]

describe("the pages of the documentation", () => {
  it("all have a ceiling", () => {
    assert.deepStrictEqual(pages.toSorted(), Object.keys(ceilings).toSorted())
  })

  for (const [path, [most, mostPhrases]] of Object.entries(ceilings)) {
    it(`given ${path}, then it has at most ${most} words, and at most ${mostPhrases} phrases to avoid`, () => {
      const text = readFileSync(join(root, path), "utf8")
      assert.isAtMost(text.split(/\s+/).filter((word) => word !== "").length, most)
      const found = withoutCode(text).match(phrases) ?? []
      assert.isAtMost(found.length, mostPhrases, found.join(", "))
    })
  }

  it("given a phrase to avoid in a code block or in code, then it does not count", () => {
    assert.deepStrictEqual(withoutCode("Since then `now`.\n```ts\nnow()\n```\n").match(phrases), ["Since then"])
  })
})
