import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { claimed, extended, isCurrent, isHeld, type Lease, longestLeaseMillis, released, unclaimed } from "./Lease.ts"
import { formatTimestamp, plusMillis } from "./Timestamp.ts"

const now = "2026-05-04T09:30:00.000Z"
const times = fc.integer({ min: Date.parse("2000-01-01"), max: Date.parse("9999-01-01") }).map(formatTimestamp)
const durations = fc.integer({ min: 1, max: longestLeaseMillis })
const leases: fc.Arbitrary<Lease> = fc.oneof(
  fc.record({ fence: fc.nat() }),
  fc.record({ fence: fc.nat(), until: times })
)

describe("a lease", () => {
  it("given any lease, then a claim holds it for its duration, with a greater fence", () => {
    fc.assert(
      fc.property(leases, times, durations, (before, at, millis) => {
        const lease = claimed(before, at, millis)
        assert.isAbove(lease.fence, before.fence)
        assert.isTrue(isHeld(lease, at))
        assert.isTrue(isHeld(lease, plusMillis(at, millis - 1)))
        assert.isFalse(isHeld(lease, plusMillis(at, millis)))
      })
    )
  })

  it("given claims one after the other, then only the latest is current", () => {
    fc.assert(
      fc.property(leases, times, fc.integer({ min: 1, max: 20 }), (before, at, count) => {
        let lease = before
        const fences: Array<number> = []
        for (let claim = 0; claim < count; claim++) {
          lease = claimed(lease, at, 1_000)
          fences.push(lease.fence)
        }
        assert.deepStrictEqual(
          fences.filter((fence) => isCurrent(lease, fence)),
          fences.slice(-1)
        )
      })
    )
  })

  it("given an extension, then the fence stays and the lease lasts from then on", () => {
    const lease = claimed(unclaimed, now, 1_000)
    const later = plusMillis(now, 5_000)
    assert.isFalse(isHeld(lease, later))
    assert.deepStrictEqual(extended(lease, later, 1_000), { fence: 1, until: plusMillis(later, 1_000) })
  })

  it("given a release, then it is free, its claim is over, and the next fence is still greater", () => {
    const lease = released(claimed(unclaimed, now, 1_000))
    assert.isFalse(isHeld(lease, now))
    assert.isFalse(isCurrent(lease, 1))
    assert.strictEqual(claimed(lease, now, 1_000).fence, 2)
  })

  it("given a lease that ends later than any lease lasts, then a clock was set back and it is free", () => {
    const lease = claimed(unclaimed, plusMillis(now, 3_600_000), 30_000)
    assert.isFalse(isHeld(lease, now))
  })

  it("given the end of the last year, then a lease ends with it", () => {
    assert.strictEqual(claimed(unclaimed, "9999-12-31T23:59:59.000Z", 30_000).until, "9999-12-31T23:59:59.999Z")
  })
})
