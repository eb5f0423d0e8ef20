import { assert, describe, it } from "@effect/vitest"
import { isSafeVersion, versionProblem } from "./configure.ts"

describe("the version of SQLite", () => {
  it("is safe from 3.51.3 on, compared by numbers", () => {
    for (const version of ["3.51.3", "3.51.10", "3.52.0", "3.53.4", "3.100.0", "4.0.0", "3.52"]) {
      assert.isTrue(isSafeVersion(version), version)
    }
    for (const version of ["3.51.2", "3.51", "3.50.9", "3.9.99", "2.99.99", "3.7.0"]) {
      assert.isFalse(isSafeVersion(version), version)
    }
  })

  it("that is not safe is named, with what to do", () => {
    assert.isUndefined(versionProblem("3.51.3"))
    assert.match(versionProblem("3.50.1") ?? "", /3\.50\.1.*Use SQLite 3\.51\.3 or newer.*Node 22\.23/)
  })
})
