import { assert, describe, it } from "vitest"
import { skipLines } from "./PlainSummary.ts"

describe("the end of a test run", () => {
  it("given tests that are skipped, then each reason is listed once with its number of tests, and tests without one by name", () => {
    const lines = skipLines([
      { title: "a page (skipped: Chromium (headless) is not installed) > when it is opened", note: undefined },
      { title: "a page (skipped: Chromium (headless) is not installed) > when it is closed", note: undefined },
      { title: "the syncs are counted (skipped: there is no strace)", note: undefined },
      { title: "a shop (skipped: there is no proxy), then links lead to it", note: undefined },
      { title: "the document", note: "Spectral is not installed" },
      { title: "the forgotten one", note: undefined }
    ])
    assert.deepStrictEqual(lines, [
      "2 skipped: Chromium (headless) is not installed",
      "1 skipped: there is no strace",
      "1 skipped: there is no proxy",
      "1 skipped: Spectral is not installed",
      "1 skipped: no reason is given",
      "  the forgotten one"
    ])
  })
})
