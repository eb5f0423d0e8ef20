import { closeSync, openSync, readSync, writeSync } from "node:fs"
import { constants } from "node:os"
import type { Call, CallFault } from "./Scenario.ts"

// The layout of `struct control` in failingCalls.c.
const headerLength = 8 * 4
const mostCalls = 8192
const nameLength = 56
const callLength = 2 * 4 + nameLength

/** Bytes of the control file. */
export const controlLength = headerLength + mostCalls * callLength

/** The system calls of a process that concern a folder, which go through the library that failingCalls.c is compiled to. */
export class FailingCalls {
  private readonly file: number

  /** `control`: the file that the process has as FAILING_CALLS_CONTROL. */
  constructor(control: string) {
    this.file = openSync(control, "r+")
  }

  /** Counts calls from now on, of which the one of the fault fails. */
  start(fault: CallFault | undefined): void {
    const { at = 0, error = "EIO", persists = false } = fault ?? {}
    const errno = error === "short" ? 0 : constants.errno[error]
    const writesOnly = error === "ENOSPC" || error === "EROFS"
    this.write([0, at, errno, Number(persists), Number(writesOnly), 0, 0])
    this.resume()
  }

  /** Lets all calls through, without counting them, until {@link resume}. */
  pause(): void {
    this.write([0])
  }

  resume(): void {
    this.write([1])
  }

  /** How many files of the folder are open. */
  get openFiles(): number {
    return this.header()[7] ?? 0
  }

  /** All calls. */
  get list(): ReadonlyArray<Call> {
    const count = Math.min(this.header()[5] ?? 0, mostCalls)
    const bytes = Buffer.alloc(count * callLength)
    readSync(this.file, bytes, 0, bytes.length, headerLength)
    return Array.from({ length: count }, (_, index) => {
      const call = bytes.subarray(index * callLength, (index + 1) * callLength)
      return {
        name: call
          .toString("utf8", 8)
          .replace(/\0.*/s, "")
          .replace(/ \d+\/?/, " "),
        transfers: call.readInt32LE(4) === 1
      }
    })
  }

  close(): void {
    closeSync(this.file)
  }

  private write(values: ReadonlyArray<number>): void {
    writeSync(this.file, Int32Array.from(values), 0, values.length * 4, 0)
  }

  private header(): Int32Array {
    const values = new Int32Array(headerLength / 4)
    readSync(this.file, values, 0, headerLength, 0)
    return values
  }
}
