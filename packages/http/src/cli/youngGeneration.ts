// Loaded before the flag is set: V8 refuses code that was cached under other flags, and would compile these anew.
import "node:crypto"
import "node:http"
import "node:https"
import "node:sqlite"
import "node:worker_threads"
import "node:zlib"
import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

/** Bytes of both halves together. */
const limit = 16 * 2 ** 20
/** More objects of 32 KiB than are needed to make it grow to the limit. */
const most = 512

const size = (): number | undefined =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size

/** Whether the operator has set the size, as with `NODE_OPTIONS=--max-semi-space-size=16`, in either spelling of options of V8. */
const isSet = (): boolean => /semi[-_]space/.test([...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" "))

const setGrowthFactor = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/**
 * Keeps the young generation of V8 at 8 MiB in each half; it would grow to 64 MiB, which makes the server no faster. A process
 * cannot set the maximum of its own heap, but it can set the factor of growth. Call this before the program is loaded.
 *
 * V8 shrinks it to 1 MiB while little is allocated, and would collect eight times as often from then on. So it may grow again,
 * up to the limit.
 */
export const limitYoungGeneration = (): void => {
  if (isSet()) return
  // It grows when more outlives a collection than it has room for.
  const kept: Array<ReadonlyArray<number>> = []
  while (kept.length < most && (size() ?? limit) < limit) kept.push(new Array(4096).fill(kept.length))
  let mayGrow = false
  setGrowthFactor(1)
  const observer = new PerformanceObserver(() => {
    const isSmaller = (size() ?? limit) < limit
    if (isSmaller === mayGrow) return
    mayGrow = isSmaller
    setGrowthFactor(mayGrow ? 2 : 1)
  })
  observer.observe({ entryTypes: ["gc"] })
}
