import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Loaded } from "../../lists/useList.ts"
import { onEvents } from "../../live/stream.ts"
import { type Order, stateOf } from "./order.ts"

interface Filter {
  readonly state: string
  readonly petId: string
  /** Whether a new order that fits comes to the list: filters by records cannot be told from events. */
  readonly adds: boolean
}

/** The rows after an event, whose data are the order; the same rows if it changes nothing. */
const rowsAfter = (rows: ReadonlyArray<Order>, order: Order, fits: boolean): ReadonlyArray<Order> => {
  if (rows.some(({ id }) => id === order.id))
    return fits ? rows.map((row) => (row.id === order.id ? order : row)) : rows.filter(({ id }) => id !== order.id)
  return fits && order.id > (rows[0]?.id ?? 0) ? [order, ...rows].slice(0, 500) : rows
}

/** Keeps a list of orders as the events say, without asking. What changed a moment ago is fresh. */
export const useLiveOrders = (list: Loaded<Order>, { adds, petId, state }: Filter) => {
  const fresh = useSignal<ReadonlyMap<number, number>>(new Map())
  const cancelled = useSignal<ReadonlySet<number>>(new Set())
  useEffect(
    () =>
      onEvents((events) => {
        if (list.rows.value === undefined) return
        const marks = new Map(fresh.value)
        let rows = list.rows.value
        for (const { data, subject, type } of events) {
          if (!type.startsWith("order.") || type === "order.record_updated") continue
          const id = Number(subject.slice(7))
          const before = rows
          if (type === "order.cancelled" || type === "order.expired") {
            if (!rows.some((row) => row.id === id)) continue
            cancelled.value = new Set([...cancelled.value, id])
          } else {
            const order = data as Order
            const fits = (state === "" || stateOf(order) === state) && (petId === "" || String(order.petId) === petId)
            if (adds || rows.some((row) => row.id === id)) rows = rowsAfter(rows, order, fits)
            if (rows === before) continue
          }
          marks.set(id, Date.now())
        }
        list.rows.value = rows
        fresh.value = new Map([...marks].filter(([, at]) => Date.now() - at < 1500))
      }),
    [state, petId, adds]
  )
  return { fresh: new Set(fresh.value.keys()), cancelled: cancelled.value }
}
