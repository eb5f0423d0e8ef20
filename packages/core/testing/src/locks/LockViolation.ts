import type { CommandName } from "@petstore/core/ports"

/** The rules that {@link withLockChecks} checks. */
export const lockRules = {
  locked: "A row that a decision rests on must be locked, unless the command may merely read it.",
  saved: "A row must be saved under an exclusive lock that its transaction holds.",
  referenced: "A row must not refer to another that its transaction has not locked.",
  ordered: "Locks must be taken in the one order of all commands, and ascending within one kind of row.",
  once: "A row must not be read twice in one transaction.",
  ended: "A statement must not run after the end of its transaction.",
  named: "A transaction that locks or writes must name its command to Storage.transact."
} as const

export type LockRule = keyof typeof lockRules

/**
 * A transaction that breaks a rule of {@link withLockChecks}.
 *
 * @example
 * ```ts
 * import { LockViolation } from "@petstore/testing"
 *
 * const { message } = new LockViolation("orders.place", "pets 7", "saved")
 * message // => "orders.place broke the lock rule \"saved\" at pets 7. A row must be saved under an exclusive lock that its transaction holds."
 * ```
 */
export class LockViolation extends Error {
  override readonly name = "LockViolation"
  /** Undefined if the transaction names no command. */
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
