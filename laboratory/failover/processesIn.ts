import { readdirSync, readlinkSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

const workingDirectory = (pid: string): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    // It has ended, or belongs to somebody else.
    return undefined
  }
}

/** The processes that work in a folder or below it, whoever started them: a server's children work where it does. */
export const processesIn = (folder: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const directory = workingDirectory(pid)
      return directory === folder || directory?.startsWith(`${folder}/`) === true
    })
    .map(Number)

/** Sends a signal to every process in a folder. Returns how many there were. */
export const signalIn = (folder: string, signal: NodeJS.Signals): number => {
  const found = processesIn(folder)
  for (const pid of found) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended in the meantime.
    }
  }
  return found.length
}

/** Kills every process in a folder at once, as a machine does that loses power, and waits until none is left. */
export const killIn = async (folder: string): Promise<void> => {
  // Nobody may start another process, or end in order, while the others are being killed.
  signalIn(folder, "SIGSTOP")
  while (signalIn(folder, "SIGKILL") > 0) await sleep(5)
}
