import { existsSync, readFileSync } from "node:fs"

/** Milliseconds of the unit in which Linux shows the time of processors to programs. */
const tick = 10

const statistics = "/proc/stat"

/**
 * The steal time of each core in milliseconds: it had work while the hypervisor ran something else. Empty where the system does not
 * count it.
 */
const stolenTimes = (): ReadonlyArray<number> => {
  if (!existsSync(statistics)) return []
  const cores = readFileSync(statistics, "utf8").matchAll(/^cpu\d+ +(.+)$/gm)
  return [...cores].map(([, times = ""]) => Number(times.split(" ")[7] ?? 0) * tick)
}

/** Runs a task, and measures the steal time of the core that lost most, as a share of the time of the task. */
export const withStolenShare = async <A>(task: () => Promise<A>) => {
  const [start, before] = [performance.now(), stolenTimes()]
  const result = await task()
  const stolen = stolenTimes().map((time, core) => time - (before[core] ?? 0))
  return { result, share: Math.max(0, ...stolen) / (performance.now() - start) }
}
