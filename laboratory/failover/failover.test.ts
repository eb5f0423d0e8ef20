import { assert, describe, it } from "@effect/vitest"
import { findPrograms } from "./debianPrograms.ts"

describe("the failover run", () => {
  it("given programs that are missing, it names the packages to install", () => {
    const { PATH } = process.env
    process.env.PATH = ""
    try {
      assert.throws(findPrograms, /apt-get install -y --no-install-recommends etcd-server patroni/)
    } finally {
      process.env.PATH = PATH
    }
  })
})
