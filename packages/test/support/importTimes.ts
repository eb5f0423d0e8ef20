import { run } from "./command.ts"

/** How often each import is timed. */
const rounds = 15

const timed = async (project: string, entry: string): Promise<number> => {
  const program = `const start = performance.now()
    await import(${JSON.stringify(entry)})
    console.log(performance.now() - start)`
  return Number(await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: project }))
}

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

export interface ImportTime {
  readonly entry: string
  /** The median, in milliseconds. */
  readonly ms: number
  /** The median of the ratios to `import "effect"` of the same round. */
  readonly ratio: number
}

/**
 * How long each import takes in a project, each in a process of its own. The imports take turns, so that what else the
 * machine does meets all of them alike.
 */
export const importTimes = async (
  project: string,
  entries: ReadonlyArray<string>
): Promise<ReadonlyArray<ImportTime>> => {
  const measured: Array<ImportTime> = []
  for (let round = 0; round < rounds; round++) {
    const effect = await timed(project, "effect")
    for (const entry of ["effect", ...entries]) {
      const ms = entry === "effect" ? effect : await timed(project, entry)
      measured.push({ entry, ms, ratio: ms / effect })
    }
  }
  return ["effect", ...entries].map((entry) => {
    const own = measured.filter((one) => one.entry === entry)
    return {
      entry,
      ms: Math.round(median(own.map(({ ms }) => ms))),
      ratio: Number(median(own.map(({ ratio }) => ratio)).toFixed(2))
    }
  })
}
