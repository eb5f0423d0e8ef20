/**
 * Lets other threads go before this one: the event loop of a server has little to do at a time, and would wait for the time slices of threads
 * that compute for half a minute. By 5, it still has a third of the time of each other thread where all cores are busy. Only Linux
 * has a priority for each thread; elsewhere it is the one of the process, which stays. Uses globals only, so that its text is a program, too.
 */
export const lowerPriority = (): void => {
  const { getBuiltinModule, platform } = globalThis.process
  if (platform !== "linux") return
  try {
    const { getPriority, setPriority } = getBuiltinModule("node:os")
    setPriority(Math.min(getPriority() + 5, 19))
  } catch {
    // It is forbidden here.
  }
}
