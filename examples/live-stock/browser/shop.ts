import { createClient } from "@petstore/http/client"
import { liveStock } from "./liveStock.ts"
import { fetchWithTime } from "./serverTime.ts"

// Without a key: the shop knows its visitors by their addresses.
const petstore = createClient({ baseUrl: "/petstore/v1", fetch: fetchWithTime })

export const stock = liveStock(petstore)

/** A unit that the shop holds for this visitor until a time of the server. */
export interface Reservation {
  readonly petId: number
  readonly expiresAt: string
}

const reservationIn = async (response: Response): Promise<Reservation | undefined> => {
  if (response.status === 204) return undefined
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

/** What is held for this visitor, for example after the page was loaded again. */
export const currentReservation = async () => reservationIn(await fetchWithTime("/reservation"))

/** Rejects with a text for the visitor. */
export const reserve = async (petId: number) => {
  const headers = { "content-type": "application/json" }
  const request = { method: "POST", headers, body: JSON.stringify({ petId }) }
  return reservationIn(await fetchWithTime("/reservation", request))
}
