import { assert, describe, it } from "vitest"
import { withAnnouncement } from "./accepted.ts"
import { breaking, compatible } from "./Change.ts"

const changes = [breaking("GET /pets", "removed"), compatible("GET /dogs", "added")]
const entry = (day: string) => `## ${day}\n\nDogs only.\n\n- \`GET /pets: removed\`\n`

describe("the announcements", () => {
  it("given no earlier one, when it is added, then it names the reason and what breaking, and nothing else", () => {
    assert.strictEqual(
      withAnnouncement("# Changes\n", "2026-05-04", "Dogs only.", changes),
      `# Changes\n\n${entry("2026-05-04")}`
    )
  })

  it("given an earlier one, when one is added, then it is above it", () => {
    const before = `# Changes\n\n${entry("2026-05-04")}`
    assert.strictEqual(
      withAnnouncement(before, "2027-01-01", "Dogs only.", changes),
      `# Changes\n\n${entry("2027-01-01")}\n${entry("2026-05-04")}`
    )
  })
})
