import { writeSync } from "node:fs"

const never = new Int32Array(new SharedArrayBuffer(4))

const isFull = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "EAGAIN"

/**
 * Writes a line to the standard output before it returns, so that it is written even if the process is killed next. Waits
 * while the pipe is full.
 */
export const writeLine = (line: string): void => {
  let rest = Buffer.from(`${line}\n`)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if (!isFull(error)) throw error
      Atomics.wait(never, 0, 0, 1)
    }
  }
}
