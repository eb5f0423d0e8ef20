import type { PetStatus } from "../../domain/inventory/Stock.ts"

/** The status of one pet, as far as its events are read. */
export interface KnownStatus {
  /** By the latest event of its stock, and by the one before that. */
  readonly now?: PetStatus | undefined
  readonly before?: PetStatus | undefined
  /** By an event of the pet, whose event of the stock must follow. */
  readonly announced?: PetStatus | undefined
}

/** An event that shows the status of a pet. */
export interface StatusEvent {
  readonly seq: number
  readonly type: string
  readonly petId: number
  readonly status: PetStatus | undefined
}

/** A status of a pet in an event, beside the status that earlier events led to. */
export type StatusStep =
  | { readonly by: "stock" | "pet"; readonly event: StatusEvent; readonly announced: PetStatus | undefined }
  | {
      readonly by: "status change"
      readonly event: StatusEvent
      readonly previous: PetStatus
      readonly known: KnownStatus
    }
  /** A status that no event of the stock followed. */
  | { readonly by: "nothing"; readonly petId: number; readonly announced: PetStatus }

/** Follows the statuses of pets through the events of pets and of their stock. */
export class PetStatuses {
  private readonly check: (step: StatusStep) => void
  private readonly pets = new Map<number, KnownStatus>()

  constructor(check: (step: StatusStep) => void) {
    this.check = check
  }

  /** The status of a pet after the events so far. */
  find(petId: number): KnownStatus | undefined {
    return this.pets.get(petId)
  }

  /** Continues with what removed events show of the status of a pet. */
  restore(petId: number, status: KnownStatus): void {
    this.pets.set(petId, status)
  }

  /** Follows an event of the stock of a pet. */
  addStock(event: StatusEvent): void {
    const { announced, now } = this.pets.get(event.petId) ?? {}
    this.check({ by: "stock", event, announced })
    this.pets.set(event.petId, { now: event.status, before: now })
  }

  /** Follows the creation or a change of a pet. If its stock changes too, that event comes next. */
  addPet(event: StatusEvent): void {
    const { announced, before, now } = this.pets.get(event.petId) ?? {}
    this.check({ by: "pet", event, announced })
    this.pets.set(event.petId, { now, before, ...(event.status === now ? {} : { announced: event.status }) })
  }

  /** Follows a change of the status of a pet, which comes after the event of its stock. */
  addChange(event: StatusEvent, previous: PetStatus): void {
    this.check({ by: "status change", event, previous, known: this.pets.get(event.petId) ?? {} })
  }

  /** Checks that nothing is missing, and starts again. */
  finish(): void {
    for (const [petId, { announced }] of this.pets) {
      if (announced !== undefined) this.check({ by: "nothing", petId, announced })
    }
    this.pets.clear()
  }
}
