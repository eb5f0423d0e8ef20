import { cpus } from "node:os"

/** What a result was measured on, and whether other programs used it too. */
export const describeMachine = (others: number): string => {
  const text = `${cpus().length} cores of ${cpus()[0]?.model.trim() ?? "an unknown processor"}, Node.js ${process.versions.node}`
  return others > tooBusy ? `${text}, while other programs used ${Math.round(others * 100)} % of them` : text
}

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
