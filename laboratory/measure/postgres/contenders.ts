import { postgres } from "@petstore/adapters/postgres"
import { createPetstore } from "@petstore/core"
import { furnish, pets } from "../../load/furnish.ts"
import { type Contender, type Contenders, callUntil } from "../inProcess/Contender.ts"
import { query } from "./Databases.ts"
import { groups, inOneStatement, interactive, type Place } from "./handWritten.ts"

/** The rows of the latest order, whose ids and times differ. */
const rowsOf = (url: string): Promise<unknown> =>
  query(
    url,
    `SELECT o.state, o.pet_id = p.id AS pet, o.quantity, o.ship_date, o.expires_at, o.version, m.kind, m.seq <= p.last_movement AS seq,
      m.delta_on_hand, m.delta_reserved, m.actor, p.status, p.version AS pet_version, p.stock_version - p.last_movement AS changes,
      p.reserved = (SELECT count(*) FROM petstore.petstore_orders WHERE pet_id = p.id AND state = 'open') AS reserved
    FROM petstore.petstore_orders o JOIN petstore.petstore_pets p ON p.id = o.pet_id
    JOIN petstore.petstore_movements m ON m.order_id = o.id ORDER BY o.id DESC LIMIT 1`
  )

/** Callers that order each of so many pets in turn. */
const ordering = (url: string, callers: number, most: number, place: Place): Contender => {
  let orders = 0
  return {
    work: (end) => callUntil(end, callers, () => place(1 + (orders++ % most))),
    written: () => rowsOf(url)
  }
}

const ours =
  (callers: number, most = pets): Contenders[string] =>
  async ({ url }) => {
    const petstore = await furnish(await createPetstore({ storage: postgres(url) }))
    return ordering(url, callers, most, (petId) => petstore.orders.place({ petId }))
  }

const byHand =
  (callers: number, open: (url: string, connections: number) => Promise<Place>, most = pets): Contenders[string] =>
  async ({ url }) => {
    await (await furnish(await createPetstore({ storage: postgres(url) }))).close()
    return ordering(url, callers, most, await open(url, callers))
  }

export const contenders: Contenders = {
  "1 caller": ours(1),
  "1 caller, interactive": byHand(1, interactive),
  "1 caller, one statement": byHand(1, inOneStatement),
  "64 callers": ours(64),
  "64 callers, interactive": byHand(64, interactive),
  "64 callers, pool of 10": byHand(64, (url) => interactive(url, 10)),
  "64 callers, one statement": byHand(64, inOneStatement),
  "64 callers, groups": byHand(64, groups),
  "64 callers, one pet": ours(64, 1),
  "64 callers, one pet, interactive": byHand(64, interactive, 1)
}
