import * as Context from "effect/Context"

/** What this file needs of Node.js, Deno or Bun. */
interface Process {
  readonly pid: number
  readonly kill: (pid: number, signal: 0) => true
  readonly getBuiltinModule: (id: "node:fs") => {
    readonly readFileSync: (path: string, encoding: "utf8") => string
    readonly readlinkSync: (path: string) => string
  }
}

const isProcess = (value: unknown): value is Process =>
  typeof value === "object" && value !== null && "pid" in value && typeof value.pid === "number"

/** Undefined if it throws: not every system has what it reads. */
const ifPossible = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The state of a Linux process, and when it began: its number may be given to another one later. */
const statOf = (process: Process, pid: number | "self") => {
  const text = process.getBuiltinModule("node:fs").readFileSync(`/proc/${pid}/stat`, "utf8")
  // The name before it may contain anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return { state: fields[0], start: fields[19] }
}

/** Names a boot of a machine, and on it the processes that see each other; undefined if it is not Linux. */
const machineOf = (process: Process): string | undefined =>
  ifPossible(() => {
    const { readFileSync, readlinkSync } = process.getBuiltinModule("node:fs")
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8)
    return `${boot}.${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}`
  })

const hasNoProcess = (process: Process, pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return typeof error === "object" && error !== null && "code" in error && error.code === "ESRCH"
  }
}

/** Tells whether the process that holds a lease has ended. */
export interface LeaseHolders {
  /** Names this process, for operators and for {@link LeaseHolders.hasEnded}; empty if it has no name. */
  readonly self: string
  /**
   * Whether the process of a holder has certainly ended, so that nobody need wait for its lease. False for one of another machine or
   * container, whose processes cannot be seen. Shorter leases instead would cost commits while idle, and a blocked event loop would lose them.
   */
  readonly hasEnded: (holder: string) => boolean
}

/** Those that a process sees. */
export const holdersOf = (process: Process): LeaseHolders => {
  const { pid } = process
  const machine = machineOf(process)
  const start = machine === undefined ? undefined : ifPossible(() => statOf(process, "self").start)
  if (machine === undefined || start === undefined) return { self: `${pid}-`, hasEnded: () => false }
  const pattern = new RegExp(`^(\\d+)@${machine.replaceAll(".", "\\.")}\\.(\\d+)-`)
  return {
    self: `${pid}@${machine}.${start}-`,
    hasEnded: (holder) => {
      const [, other, begun] = pattern.exec(holder) ?? []
      if (other === undefined) return false
      const status = ifPossible(() => statOf(process, Number(other)))
      // Some systems hide the processes of other users.
      if (status === undefined) return hasNoProcess(process, Number(other))
      return status.start !== begun || status.state === "Z" || status.state === "X"
    }
  }
}

/** The processes of this machine; tests choose others. */
export const LeaseHolders: Context.Reference<LeaseHolders> = Context.Reference<LeaseHolders>(
  "@petstore/core/consumers/LeaseHolders",
  {
    defaultValue: () => {
      const process: unknown = Reflect.get(globalThis, "process")
      return isProcess(process) ? holdersOf(process) : { self: "", hasEnded: () => false }
    }
  }
)
