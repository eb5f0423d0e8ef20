import type { Pet } from "@petstore/core"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get } from "../../api/request.ts"
import { mayRead } from "../../api/scopes.ts"
import { type Loaded, pageSize, useList } from "../../lists/useList.ts"
import { onEvents } from "../../live/stream.ts"
import type { Item } from "./pet.ts"

interface Asked {
  readonly pets: Loaded<Pet>
  readonly status: string
  /** Whether the pets are filtered by what the inventory is not. */
  readonly found: boolean
}

/** The stock of the pets that are shown, and what goes on with it when more of them are. */
export const useStock = ({ found, pets, status }: Asked) => {
  const allowed = mayRead("inventory:read")
  const stock = useSignal<ReadonlyMap<number, Item>>(new Map())
  const add = (items: ReadonlyArray<Item>): void => {
    if (items.length > 0) stock.value = new Map([...stock.value, ...items.map((item) => [item.petId, item] as const)])
  }
  // Both lists are in the order of ids with the same filter, so their pages have the same pets: two requests a page.
  const items = useList<Item>(allowed && !found ? "/inventory" : undefined, status === "" ? {} : { status })
  const read = items.rows.value
  useEffect(() => add(read ?? []), [read])
  // Found by name, a page of pets is not a page of the inventory, which takes no ids: one by one.
  const rows = pets.rows.value
  useEffect(() => {
    if (rows === undefined || !found || !allowed) return
    const missing = rows.filter(({ id }) => !stock.value.has(id)).slice(0, pageSize)
    void Promise.allSettled(missing.map(({ id }) => get<Item>(`/inventory/${id}`))).then((answers) =>
      add(answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value.data] : [])))
    )
  }, [rows])
  useEffect(
    () =>
      onEvents((events) =>
        add(events.filter(({ type }) => type === "inventory.updated").map(({ data }) => data as Item))
      ),
    []
  )
  return { stock: stock.value, more: () => items.more.value?.() }
}
