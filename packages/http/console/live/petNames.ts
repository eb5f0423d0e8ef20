import type { Pet } from "@petstore/core"
import { signal } from "@preact/signals"
import { get } from "../api/request.ts"
import { mayRead } from "../api/scopes.ts"
import { onEvents } from "./stream.ts"

export const petNames = signal<ReadonlyMap<number, string>>(new Map())
const asked = new Set<number>()
let wanted: ReadonlyArray<number> = []
let due: ReturnType<typeof setTimeout> | undefined

const askNames = (): void => {
  due = undefined
  const ids = wanted.slice(0, 100)
  wanted = wanted.slice(100)
  if (wanted.length > 0) due = setTimeout(askNames, 500)
  get<ReadonlyArray<Pet>>("/pets", { id: ids }).then(
    ({ data }) => {
      petNames.value = new Map([...petNames.value, ...data.map(({ id, name }) => [id, name] as const)])
    },
    () => {
      for (const id of ids) asked.delete(id)
    }
  )
}

/** Asks for each name that is not known, once unless that fails: those of half a second together, a hundred at a time. */
export const wantNames = (ids: ReadonlyArray<number | undefined>): void => {
  if (!mayRead("pets:read")) return
  const unknown = [...new Set(ids)].filter((id): id is number => id !== undefined && !asked.has(id))
  if (unknown.length === 0) return
  for (const id of unknown) asked.add(id)
  wanted = [...wanted, ...unknown]
  if (due === undefined) due = setTimeout(askNames, petNames.value.size === 0 ? 50 : 500)
}
onEvents((events) => {
  const named = events.filter(({ type }) => type === "pet.created" || type === "pet.updated")
  if (named.length === 0) return
  petNames.value = new Map([...petNames.value, ...named.map(({ data }) => [Number(data.id), data.name ?? ""] as const)])
})
