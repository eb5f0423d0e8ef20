import type { RemotePetstore } from "@petstore/http/client"
import type { Store } from "./Store.ts"
import { whileVisible } from "./whileVisible.ts"

export interface Row {
  readonly id: number
  readonly name: string
  readonly available: number
}

/**
 * The pets with their stock as it changes. All parts of a page share one stream of events: the first subscriber opens it, and the last one
 * closes it. A hidden page has none, and reads the stock anew when it is shown.
 */
export const liveStock = (petstore: RemotePetstore): Store<ReadonlyArray<Row>> => {
  const listeners = new Set<() => void>()
  let rows = new Map<number, Row>()
  let shown: ReadonlyArray<Row> = []
  let isWaiting = false
  let close = () => {}

  /** At most once for each picture on the screen, however many events come. */
  const changed = () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      shown = [...rows.values()]
      for (const listener of listeners) listener()
    })
  }
  const change = (id: number, fields: Partial<Row>) => {
    rows.set(id, { ...(rows.get(id) ?? { id, name: "", available: 0 }), ...fields })
  }
  const follow = async (signal: AbortSignal) => {
    // First the position, then the rows: what changes in between comes as an event.
    const after = await petstore.events.latest({ signal })
    const read = new Map<number, Row>()
    for await (const { id, name } of petstore.pets.all({}, { signal })) read.set(id, { id, name, available: 0 })
    for await (const { available = 0, petId } of petstore.inventory.all({}, { signal })) {
      const row = read.get(petId)
      if (row !== undefined) read.set(petId, { ...row, available })
    }
    rows = read
    changed()
    const types = ["pet.created", "pet.updated", "pet.deleted", "inventory.updated"] as const
    for await (const { data, type } of petstore.events.stream({ after, types }, { signal })) {
      if (type === "inventory.updated") change(data.petId, { available: data.available })
      else if (type === "pet.deleted") rows.delete(data.id)
      else change(data.id, { name: data.name })
      changed()
    }
  }
  return {
    get: () => shown,
    subscribe: (onChange) => {
      if (listeners.size === 0) close = whileVisible(follow)
      listeners.add(onChange)
      return () => {
        if (listeners.delete(onChange) && listeners.size === 0) close()
      }
    }
  }
}
