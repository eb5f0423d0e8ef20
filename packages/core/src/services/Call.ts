import type * as Clock from "effect/Clock"
import type { PrincipalInfo } from "../access/Principal.ts"
import type { RuleBook } from "../domain/rules/RuleBook.ts"
import type { Transaction } from "../engine/Transaction.ts"
import type { NewEvent } from "../events/Event.ts"
import type { Journal } from "../events/Journal.ts"
import { events } from "../tables/index.ts"

/** One run of a command: its transaction, who runs it, and when. */
export class Call {
  readonly tx: Transaction
  readonly principal: PrincipalInfo
  /** The rules of the host application. */
  readonly rules: RuleBook
  private readonly clock: Clock.Clock
  private readonly traceOf: () => string | undefined
  private readonly journal: Journal["Service"]

  constructor(
    tx: Transaction,
    principal: PrincipalInfo,
    clock: Clock.Clock,
    traceOf: () => string | undefined,
    { journal, rules }: { readonly journal: Journal["Service"]; readonly rules: RuleBook }
  ) {
    this.tx = tx
    this.principal = principal
    this.clock = clock
    this.traceOf = traceOf
    this.journal = journal
    this.rules = rules
  }

  /** The actor in the stock ledger. */
  get actor(): string {
    return this.principal.actor
  }

  /** Its trace context, as a `traceparent`; undefined if nothing is recorded. */
  get trace(): string | undefined {
    return this.traceOf()
  }

  /** The time for records, which does not go back. Ask for it when all rows are locked. */
  now(): string {
    return this.journal.time(this.clock)
  }

  /** The time by the clock, to compare with expiry times. */
  clockTime(): string {
    return this.journal.timeOf(this.clock)
  }

  /** A new identity with this prefix. */
  newId(prefix: string): string {
    return this.journal.idAt(prefix, this.clock)
  }

  /** Records events, in this order. */
  record(at: string, all: ReadonlyArray<NewEvent>): void {
    this.tx.append(events, this.journal.stamped(this.clock, at, all, this.trace))
  }
}
