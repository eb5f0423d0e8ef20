import { session } from "../api/session.ts"
import { go, here, route } from "../router.ts"
import { Search } from "../ui/Search.tsx"

type Kind = "orders" | "pets"

const hasTimes = (kind: Kind): boolean => session.value?.indexes?.includes(`${kind}.createdAt`) === true

const keysOf = (kind: Kind): ReadonlyArray<string> => {
  const start = `${kind}.metadata.`
  return (session.value?.indexes ?? []).filter((name) => name.startsWith(start)).map((name) => name.slice(start.length))
}

/** Midnight of a day here, some days later; undefined for what is no day. */
const midnight = (day: string, later: number): string | undefined => {
  const date = new Date(`${day}T00:00`)
  if (Number.isNaN(date.getTime())) return undefined
  date.setDate(date.getDate() + later)
  return date.toISOString()
}

/** What the link filters by, as the API takes it; undefined if it names neither a day nor a value. */
export const recordQuery = (): Readonly<Record<string, string>> | undefined => {
  const { query } = route.value
  const metadata = query.get("metadata") ?? ""
  if (/^[^=]+=./.test(metadata)) return { metadata }
  // The API takes what is created after a time: the last millisecond of the day before.
  const from = midnight(query.get("from") ?? "", 0)
  const before = midnight(query.get("to") ?? "", 1)
  if (from === undefined && before === undefined) return undefined
  return {
    sort: "-createdAt",
    ...(from === undefined ? {} : { createdAfter: new Date(Date.parse(from) - 1).toISOString() }),
    ...(before === undefined ? {} : { createdBefore: before })
  }
}

/** The filters by day and by metadata that the server has indexes for. `beside`: those that no index has together with them. */
export const RecordFilters = ({ beside, kind }: { kind: Kind; beside: ReadonlyArray<string> }) => {
  const { query } = route.value
  const keys = keysOf(kind)
  const without = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, undefined]))
  const day = (name: "from" | "to", label: string) => (
    <label class="search">
      {label}
      <input
        type="date"
        max="9999-12-31"
        value={query.get(name) ?? ""}
        onChange={({ currentTarget: { value } }) =>
          go(here({ ...without([...beside, "metadata"]), [name]: value }, null), true)
        }
      />
    </label>
  )
  return (
    <>
      {hasTimes(kind) && (
        <div class="days">
          {day("from", "Created from")}
          {day("to", "to")}
        </div>
      )}
      {keys.length > 0 && (
        <Search
          label="Value of metadata"
          placeholder={`Metadata, such as ${keys[0]}=1`}
          value={query.get("metadata") ?? ""}
          onInput={(value) =>
            go(
              here(
                { ...without([...beside, "from", "to", "state", "status", "category"]), metadata: value.trim() },
                null
              ),
              true
            )
          }
        />
      )}
    </>
  )
}
