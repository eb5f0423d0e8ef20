// Loaded before the flag is set: V8 refuses code that was cached under other flags, and would compile these anew.
import "node:crypto"
import "node:http"
import "node:https"
import "node:sqlite"
import "node:worker_threads"
import "node:zlib"
import { constants, PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

/** Bytes of both halves together. With half of it, the objects of 64 open requests are copied too often. */
const limitBytes = 16 * 2 ** 20
/** More objects of 32 KiB than are needed to make it grow to the limit. */
const mostObjects = 512

const size = (): number | undefined =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size

/** Whether the operator has set the size, as with `NODE_OPTIONS=--max-semi-space-size=16`, in either spelling of options of V8. */
const isSet = (): boolean => /semi[-_]space/.test([...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" "))

const setGrowthFactor = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/** Whether a collection was one of the young generation. */
const isMinor = (entry: object): boolean =>
  "detail" in entry &&
  typeof entry.detail === "object" &&
  entry.detail !== null &&
  "kind" in entry.detail &&
  entry.detail.kind === constants.NODE_PERFORMANCE_GC_MINOR

/** Grows it by objects that outlive collections, which is what V8 grows it for, and lets nothing else do so. */
const growTo = (bytes: number): void => {
  setGrowthFactor(2)
  const kept: Array<ReadonlyArray<number>> = []
  while (kept.length < mostObjects && (size() ?? bytes) < bytes) kept.push(new Array(4096).fill(kept.length))
  setGrowthFactor(1)
}

/**
 * Keeps the young generation of V8 at 8 MiB in each half; it would grow to 64 MiB, which makes neither the server nor an import faster. A process
 * cannot set the maximum of its own heap, but it can set the factor of growth. Call this before the program is loaded.
 *
 * V8 shrinks it while little is allocated, and would collect more often from then on. So the server doubles it after each
 * collection of it alone, up to the limit.
 *
 * V8 also makes objects in the old generation if earlier ones of the same literal have outlived a collection. Objects of calls that
 * wait for a commit do, and die within a millisecond, but each then keeps all that it refers to until a full collection. So the
 * server makes every object in the young generation, whatever its size.
 */
export const limitYoungGeneration = (): void => {
  setFlagsFromString("--no-allocation-site-pretenuring")
  if (isSet()) return
  growTo(limitBytes)
  const observer = new PerformanceObserver((list) => {
    const bytes = size() ?? limitBytes
    // Newer versions of V8 report some pages less than the limit.
    if (bytes > limitBytes / 2) return
    if (list.getEntries().some(isMinor)) growTo(Math.min(limitBytes, 2 * bytes))
  })
  observer.observe({ entryTypes: ["gc"] })
}
