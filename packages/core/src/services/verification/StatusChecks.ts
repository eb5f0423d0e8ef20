import type { PetStatus } from "../../domain/Stock.ts"
import { Check } from "./Check.ts"

/** What the events say of the status of one pet, as far as they are read. */
interface ToldStatus {
  /** What the latest event of its stock gives, and the one before that. */
  readonly now?: PetStatus | undefined
  readonly before?: PetStatus | undefined
  /** What an event of the pet says ahead of the one of its stock that must follow. */
  readonly ahead?: PetStatus | undefined
}

/** An event of a pet that says which status it has. */
export interface StatusEvent {
  readonly seq: number
  readonly type: string
  readonly petId: number
  readonly status: PetStatus | undefined
}

/** Whether the events of pets and those of their stock tell the same statuses. */
export class StatusChecks {
  readonly told = new Check(
    "event_statuses",
    "The status in an event of a pet is the one that the events of its stock give, and so is the one before."
  )
  private readonly pets = new Map<number, ToldStatus>()

  /** Counts an event of the stock of a pet. */
  addStock({ petId, seq, status, type }: StatusEvent): void {
    const { ahead, now } = this.pets.get(petId) ?? {}
    this.told.expect(ahead === undefined || ahead === status, () => ({ seq, type, petId, status, told: ahead }))
    this.pets.set(petId, { now: status, before: now })
  }

  /** Counts the creation or a change of a pet. Where its stock changes too, the event of that comes next. */
  addPet({ petId, seq, status, type }: StatusEvent): void {
    const { ahead, before, now } = this.pets.get(petId) ?? {}
    this.told.expect(ahead === undefined, () => ({ seq, type, petId, status, told: ahead }))
    this.pets.set(petId, { now, before, ...(status === now ? {} : { ahead: status }) })
  }

  /** Counts a change of the status of a pet, which follows the event of its stock. */
  addChange({ petId, seq, status, type }: StatusEvent, previous: PetStatus): void {
    const { before, now } = this.pets.get(petId) ?? {}
    this.told.agree({ seq, type, petId }, { status, previous }, { status: now, previous: before })
  }

  /** Reports what no event of the stock followed, and begins anew. */
  finish(): void {
    for (const [petId, { ahead }] of this.pets) {
      if (ahead !== undefined) this.told.expect(false, () => ({ petId, status: ahead }))
    }
    this.pets.clear()
  }
}
