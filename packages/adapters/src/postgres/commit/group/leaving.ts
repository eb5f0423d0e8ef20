import * as Exit from "effect/Exit"

/**
 * Why a body does not end in its group: `irregular` if it does what groups cannot, `busy` if another transaction has what it
 * wants, `again` if it can run again in this group.
 */
export type LeavingReason = "irregular" | "busy" | "again"

/** What calls of a body that leaves its group get. */
export const left: Exit.Exit<never> = Exit.die(new Error("The body runs again in another transaction."))
