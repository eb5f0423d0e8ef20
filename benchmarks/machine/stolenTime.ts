import { readFileSync } from "node:fs"

/** Milliseconds of the unit in which Linux shows the time of processors to programs. */
const tick = 10

/**
 * For each core, how many milliseconds it had work while the host of a virtual machine ran something else. Empty where the system
 * does not count them.
 */
const stolenTimes = (): ReadonlyArray<number> => {
  if (process.platform !== "linux") return []
  const cores = readFileSync("/proc/stat", "utf8").matchAll(/^cpu\d+ +(.+)$/gm)
  return [...cores].map(([, times = ""]) => Number(times.split(" ")[7] ?? 0) * tick)
}

/** Runs a task, and measures the share of its time, from 0 to 1, for which the core that lost most was taken away. */
export const withStolenShare = async <A>(task: () => Promise<A>) => {
  const [start, before] = [performance.now(), stolenTimes()]
  const result = await task()
  const stolen = stolenTimes().map((time, core) => time - (before[core] ?? 0))
  return { result, share: Math.max(0, ...stolen) / (performance.now() - start) }
}
