import * as Exit from "effect/Exit"
import type { Movement } from "../domain/Movement.ts"
import type { MovementRows } from "../ports/MovementRows.ts"
import type { MemoryConnection } from "./MemoryConnection.ts"
import { byNumber, SortedKeys } from "./SortedKeys.ts"
import { violation } from "./violation.ts"

/** The ledger of every pet: seq is the place in it, from 1 on. */
export class MemoryLedgers {
  private readonly petIds = new SortedKeys(byNumber)
  private readonly ledgers = new Map<number, Array<Movement>>()

  /** The seq of the next movement of a pet. */
  nextSeq(petId: number): number {
    return (this.ledgers.get(petId)?.length ?? 0) + 1
  }

  append(movement: Movement): void {
    const ledger = this.ledgers.get(movement.petId)
    if (ledger === undefined) {
      this.ledgers.set(movement.petId, [{ ...movement }])
      this.petIds.add(movement.petId)
    } else {
      ledger.push({ ...movement })
    }
  }

  /** Takes the latest movement of a pet back. */
  undoAppend(petId: number): void {
    const ledger = this.ledgers.get(petId)
    ledger?.pop()
    if (ledger?.length === 0) {
      this.ledgers.delete(petId)
      this.petIds.remove(petId)
    }
  }

  list(petId: number, after: number, limit: number): ReadonlyArray<Movement> {
    const start = Math.max(after, 0)
    return (this.ledgers.get(petId) ?? []).slice(start, start + limit).map((movement) => ({ ...movement }))
  }

  scan(after: { readonly petId: number; readonly seq: number }, limit: number): ReadonlyArray<Movement> {
    const found: Array<Movement> = []
    for (const petId of this.petIds.from((id) => id < after.petId)) {
      if (found.length >= limit) break
      found.push(...this.list(petId, petId === after.petId ? after.seq : 0, limit - found.length))
    }
    return found
  }

  /** Ledgers whose seq has a gap. */
  problems(): ReadonlyArray<string> {
    return [...this.ledgers]
      .filter(([, ledger]) => ledger.some(({ seq }, index) => seq !== index + 1))
      .map(([petId]) => `movements: the ledger of pet ${petId} has a gap`)
  }
}

/** The stock ledger of a store. */
export const memoryMovements = (connection: MemoryConnection): MovementRows => {
  const { movements, orders, pets } = connection.database
  return {
    append: (movement) =>
      connection.change((log) => {
        const { orderId, petId, seq } = movement
        const next = movements.nextSeq(petId)
        if (!pets.has(petId)) return violation(`There is no pet ${petId}`)
        if (orderId !== undefined && !orders.has(orderId)) return violation(`There is no order ${orderId}`)
        if (seq !== next) return violation(`The next movement of pet ${petId} is ${next}, not ${seq}`)
        movements.append(movement)
        log.push(() => movements.undoAppend(petId))
        return Exit.void
      }),
    list: (petId, after, limit) => connection.read(() => movements.list(petId, after, limit)),
    scan: (after, limit) => connection.read(() => movements.scan(after, limit))
  }
}
