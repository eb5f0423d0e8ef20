import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root, withoutCode } from "./support/markdownFiles.ts"

/**
 * For each page, the most words (as `wc -w` counts them), and the most phrases that our style avoids. A sentence more needs one less elsewhere, or
 * a link: each fact has one home. Lower a number when a page has become shorter; 0 phrases is the goal.
 */
const ceilings: Readonly<Record<string, readonly [words: number, phrases: number]>> = {
  "docs/README.md": [240, 0],
  "docs/access.md": [1_460, 0],
  "docs/adapters.md": [1_850, 0],
  "docs/architecture.md": [1_440, 0],
  "docs/capabilities.md": [300, 0],
  "docs/client.md": [1_050, 0],
  "docs/concepts.md": [920, 0],
  "docs/console.md": [620, 0],
  "docs/decisions.md": [1_860, 0],
  "docs/embedding.md": [1_770, 0],
  "docs/errors.md": [1_600, 0],
  "docs/events.md": [2_220, 0],
  "docs/getting-started.md": [480, 0],
  "docs/host-database.md": [1_970, 0],
  "docs/http.md": [1_350, 0],
  "docs/invariants.md": [1_770, 0],
  "docs/messages.md": [790, 0],
  "docs/monitoring.md": [1_530, 0],
  "docs/mounting.md": [1_010, 0],
  "docs/openapi.md": [820, 0],
  "docs/operations.md": [2_380, 0],
  "docs/orders.md": [1_710, 0],
  "docs/packages.md": [530, 0],
  "docs/performance.md": [810, 0],
  "docs/postgres-operations.md": [1_960, 0],
  "docs/postgres.md": [1_840, 0],
  "docs/reliability.md": [1_230, 0],
  "docs/rules.md": [680, 0],
  "docs/runbook.md": [620, 0],
  "docs/security.md": [1_350, 0],
  "docs/settings.md": [1_420, 0],
  "docs/testing.md": [790, 0],
  "docs/upgrade-policy.md": [640, 0],
  "docs/webhooks.md": [1_670, 0],
  "CHANGELOG.md": [220, 0],
  "CONTRIBUTING.md": [1_380, 0],
  "README.md": [680, 0],
  "SECURITY.md": [280, 0]
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
