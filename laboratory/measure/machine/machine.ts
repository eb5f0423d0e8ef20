import { availableParallelism, cpus, release, totalmem, type } from "node:os"

/** What a result was measured on. */
export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memoryGigabytes: number
  readonly system: string
  readonly node: string
  readonly sqlite: string
}

export const describeMachine = (): Machine => ({
  processor: cpus()[0]?.model.trim() ?? "unknown",
  cores: availableParallelism(),
  memoryGigabytes: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.versions.node,
  sqlite: process.versions.sqlite ?? "unknown"
})

/** The share of the processors that other programs use, from 0 to 1, over a second and a half. */
export const measureOthers = async (): Promise<number> => {
  const read = () => {
    const all = cpus().map(({ times }) => times)
    const idle = all.reduce((sum, times) => sum + times.idle, 0)
    return {
      idle,
      total: all.reduce((sum, { idle: free, irq, nice, sys, user }) => sum + free + irq + nice + sys + user, 0)
    }
  }
  const before = read()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const after = read()
  return 1 - (after.idle - before.idle) / (after.total - before.total)
}

/** Above this share of others, ratios say more about them than about the contenders. */
export const tooBusy = 0.1
