import * as Effect from "effect/Effect"
import type { Value } from "../engine/Table.ts"
import { PetStatus } from "../inventory/Stock.ts"
import { orderStates } from "../orders/OrderState.ts"
import type { PetRecord } from "../pets/petTable.ts"
import { movements, petIdsBy, pets as table } from "../tables/index.ts"
import { eachIn, nextOf, type Source, sourceOf } from "./Buckets.ts"
import { emptyLedger, type Ledger, ledgerAfter, stockAfter } from "./Ledger.ts"
import { eachRow, positionIn } from "./pages.ts"
import { recordRows } from "./RecordRows.ts"
import { checkIds, type Run } from "./Run.ts"

/** Checks pets with their stock: their movements, events and open orders, and the lists that they are in. */
export const verifyPets = (run: Run) => {
  const { buckets, log, nextNoted, note, report, results, spill, store, takeFacts } = run
  const records = recordRows(run, "pets")
  const checkId = checkIds(report, "pets")
  const [checkPet, checkListing, checkMovement] = [report.on("pet"), report.on("listing"), report.on("movement")]
  const [checkOrderOfPet, checkTimes] = [report.on("orderOfPet"), report.on("times")]
  const rows = sourceOf(store, table)
  const nextMovement = (after: number) =>
    Effect.map(store.scan(movements, [after, Number.POSITIVE_INFINITY], 1), ([one]) => one?.petId)

  return buckets.each(
    [nextOf(rows), nextMovement, records.next],
    nextNoted("pets"),
    Effect.fnUntraced(function* (range) {
      const pets = new Map<number, PetRecord>()
      const statuses = new Map<number, PetStatus | "several">()
      const ledgers = new Map<number, Ledger>()
      const openUnits = new Map<number, number>()

      yield* eachIn(rows, range, (pet) => {
        checkId(pet.id)
        pets.set(pet.id, pet)
      })
      yield* records.read(range)
      for (const status of PetStatus.literals) {
        const listed: Source<{ readonly id: number }> = {
          fetch: (after, limit) => store.select(petIdsBy, { status, after }, limit),
          idOf: ({ id }) => id
        }
        yield* eachIn(listed, range, ({ id }) => statuses.set(id, statuses.has(id) ? "several" : status))
      }
      yield* eachRow(
        (after, limit) => store.scan(movements, after, limit),
        [range.after, Number.POSITIVE_INFINITY] as ReadonlyArray<Value>,
        positionIn(movements),
        ({ petId }) => petId <= range.last,
        (movement) => {
          const { at, orderId, petId, seq } = movement
          checkTimes({ row: { petId, seq }, times: { at } })
          const before = ledgers.get(petId) ?? emptyLedger
          const after = stockAfter(before.stock, movement)
          checkMovement({ movement, before, after, pet: pets.get(petId) })
          ledgers.set(petId, ledgerAfter(before, movement, after))
          if (orderId !== undefined) {
            const { actor, deltaOnHand, deltaReserved, kind } = movement
            note("orders", orderId, ["movement", petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at])
          }
        }
      )
      yield* takeFacts("pets", range.bucket, (fact) => {
        if (fact[0] === "orderEvent") {
          const [, seq, type, orderId, petId] = fact
          log.checkPetOf({ seq, type, orderId, petId })
        }
        if (fact[0] !== "order") return
        const [, orderId, petId, state, quantity] = fact
        checkOrderOfPet({ order: { orderId, petId, state, quantity }, pet: pets.get(petId) })
        if (orderStates[state]?.units === "reserved") openUnits.set(petId, (openUnits.get(petId) ?? 0) + quantity)
      })

      for (const record of pets.values()) {
        const { categoryId, deleted, id } = record
        checkPet({
          record,
          ledger: ledgers.get(id) ?? emptyLedger,
          openUnits: openUnits.get(id) ?? 0,
          trace: log.isSettled(record) ? ledgers.get(id)?.trace : log.traceOf(id)
        })
        checkListing({ petId: id, listed: statuses.get(id), record })
        statuses.delete(id)
        records.compare(id)
        log.comparePet(record, ledgers.get(id)?.trace)
        note("categories", categoryId, ["pet", id, deleted, categoryId])
      }
      for (const [petId, listed] of statuses) checkListing({ petId, listed, record: undefined })
      records.finish()
      log.finish()
      results.finish()
      yield* spill
    })
  )
}
