import { constants, setPriority } from "node:os"
import process from "node:process"

/**
 * Lets other threads go before this one: the event loop of a server has little to do at a time, and would wait for the time slices of threads
 * that compute for half a minute. Only Linux has a priority for each thread; elsewhere it is the one of the process, which stays.
 */
export const lowerPriority = (): void => {
  if (process.platform !== "linux") return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It is forbidden here, and only takes longer to respond.
  }
}
