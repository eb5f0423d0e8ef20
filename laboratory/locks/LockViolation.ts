import type { CommandName } from "@petstore/core/ports"

/** The rules that {@link withLockChecks} checks. */
export const lockRules = {
  locked: "A row that a decision rests on must be locked, unless the command may merely read it.",
  ordered: "Locks must be taken in the one order of all commands, and ascending within one kind of row."
} as const

export type LockRule = keyof typeof lockRules

/**
 * A transaction that breaks a rule of {@link withLockChecks}.
 */
export class LockViolation extends Error {
  override readonly name = "LockViolation"
  readonly command: CommandName | undefined
  /** Which row, such as `pets 7`, or which statement if it is about no single row, such as `pets.scan`. */
  readonly row: string
  readonly rule: LockRule

  constructor(command: CommandName | undefined, row: string, rule: LockRule) {
    super(`${command ?? "A transaction without a name"} broke the lock rule "${rule}" at ${row}. ${lockRules[rule]}`)
    this.command = command
    this.row = row
    this.rule = rule
  }
}
