import { getPriority, setPriority } from "node:os"
import process from "node:process"

/**
 * Lets other threads go before this one: the event loop of a server has little to do at a time, and would wait for the time slices of threads
 * that compute for half a minute. By 5, it still has a third of the time of each other thread where all cores are busy. Only Linux
 * has a priority for each thread; elsewhere it is the one of the process, which stays.
 */
export const lowerPriority = (): void => {
  if (process.platform !== "linux") return
  try {
    setPriority(Math.min(getPriority() + 5, 19))
  } catch {
    // It is forbidden here.
  }
}
