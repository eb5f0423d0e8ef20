import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { PrincipalInfo } from "../domain/access/Principal.ts"
import type { NewEvent } from "../domain/events/Event.ts"
import type { ListIndex } from "../domain/records/ListIndex.ts"
import type { CheckMetadata } from "../domain/records/ResourceRecord.ts"
import type { RuleBook } from "../domain/rules/RuleBook.ts"
import type { Command } from "../kernel/Command.ts"
import type { Reads, Transaction } from "../kernel/Transaction.ts"
import type { Hasher } from "../ports/Hasher.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { WebhookSender } from "../ports/WebhookSender.ts"
import { events } from "../tables/index.ts"
import type { Journal } from "./events/Journal.ts"
import type { Expiries } from "./orders/Expiries.ts"
import { turnOn } from "./time.ts"
import { traceparentIn } from "./tracing.ts"
import type { DeliveryWakes } from "./webhooks/DeliveryWakes.ts"
import type { WebhookSecrets } from "./webhooks/secrets/WebhookSecrets.ts"

/** What the use cases of a petstore share. */
export interface Shared {
  readonly journal: Journal["Service"]
  /** The rules of the host application. */
  readonly rules: RuleBook
  readonly hasher: Hasher["Service"]
  /** When orders expire. */
  readonly expiries: Expiries
  readonly checkMetadata: CheckMetadata
  /** How lists find names; undefined if by their beginnings only. */
  readonly search: "words" | undefined
  /** The indexes of lists that the shop has switched on. */
  readonly indexes: ReadonlySet<ListIndex>
  readonly secrets: WebhookSecrets["Service"]
  /** Undefined if nothing is sent. */
  readonly sender: WebhookSender["Service"] | undefined
  /** Milliseconds of the clock that all processes of the store share. */
  readonly storeTime: (clock: Clock.Clock) => number
  /** Milliseconds for which a command of background work goes on before others do. */
  readonly longestTurn: number
  /** Counts the results that are kept for repetitions. */
  readonly keyed: { count: number }
}

/** One run of a query: the rows that it reads, and who runs it. All of its answers are of one state of the store. */
export interface Reading {
  readonly rows: Reads
  readonly principal: PrincipalInfo
  readonly shared: Shared
}

/** One run of an action, which runs programs as its parts. */
export interface Acting {
  readonly read: <A, E>(query: (reading: Reading) => Command<A, E>) => Effect.Effect<A, E | StorageError>
  readonly submit: <A, E>(command: (call: Call) => Command<A, E>) => Effect.Effect<A, E | StorageError>
  /** Whether its calls belong to a transaction that is open, which must not wait for others. */
  readonly isInTransaction: boolean
  readonly shared: Shared
  readonly wakes: DeliveryWakes["Service"]
}

/** One run of a command: its transaction, who runs it, and when. */
export class Call {
  readonly tx: Transaction
  readonly principal: PrincipalInfo
  readonly shared: Shared
  /** The rules of the host application. */
  readonly rules: RuleBook
  /** The actor in the stock ledger. */
  readonly actor: string
  /** Keeps the result of a use case for repetitions with its idempotency key; undefined if it has none. */
  keep: ((result: unknown) => void) | undefined
  private readonly services: Context.Context<never>
  private readonly clock: Clock.Clock

  /** `services`: those of the caller, such as the clock. */
  constructor(tx: Transaction, principal: PrincipalInfo, services: Context.Context<never>, shared: Shared) {
    this.tx = tx
    this.principal = principal
    this.shared = shared
    this.rules = shared.rules
    this.actor = principal.actor
    this.keep = undefined
    this.services = services
    this.clock = Context.get(services, Clock.Clock)
  }

  /** Its trace context, as a `traceparent`; undefined if nothing is recorded. */
  get trace(): string | undefined {
    return traceparentIn(this.services)
  }

  /** The time for records, which does not go back. Ask for it when all rows are locked. */
  now(): string {
    return this.shared.journal.time(this.clock)
  }

  /** The time by the clock, to compare with expiry times. */
  clockTime(): string {
    return this.shared.journal.timeOf(this.clock)
  }

  /** Begins a turn of background work, and returns whether it is over. */
  turn(): () => boolean {
    return turnOn(this.clock, this.shared.longestTurn)
  }

  /** A new identity with this prefix. */
  newId(prefix: string): string {
    return this.shared.journal.idAt(prefix, this.clock)
  }

  /** Records events, in this order. */
  record(at: string, all: ReadonlyArray<NewEvent>): void {
    this.tx.append(events, this.shared.journal.stamped(this.clock, at, all, this.trace))
  }

  /** Milliseconds of the clock that all processes of the store share. */
  storeMillis(): number {
    return this.shared.storeTime(this.clock)
  }
}
