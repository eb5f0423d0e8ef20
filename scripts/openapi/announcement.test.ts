import { assert, describe, it } from "vitest"
import { withAnnouncement } from "./announcement.ts"
import { adds, breaks } from "./Change.ts"

const changes = [breaks("GET /pets", "it is gone"), adds("GET /dogs", "it is new")]
const entry = (day: string) => `## ${day}\n\nDogs only.\n\n- \`GET /pets: it is gone\`\n`

describe("an announcement", () => {
  it("given no earlier one, when it is added, then it names the reason and what breaks, and nothing else", () => {
    assert.strictEqual(
      withAnnouncement("# Changes\n", "2026-05-04", "Dogs only.", changes),
      `# Changes\n\n${entry("2026-05-04")}`
    )
  })

  it("given earlier ones, when it is added, then it stands above them", () => {
    const before = `# Changes\n\n${entry("2026-05-04")}`
    assert.strictEqual(
      withAnnouncement(before, "2027-01-01", "Dogs only.", changes),
      `# Changes\n\n${entry("2027-01-01")}\n${entry("2026-05-04")}`
    )
  })
})
