import type { Pet } from "@petstore/core"
import { useEffect } from "preact/hooks"
import { mayRead, whyNot } from "../../api/scopes.ts"
import { session } from "../../api/session.ts"
import { RecordFilters, recordQuery } from "../../lists/RecordFilters.tsx"
import { type Loaded, useList } from "../../lists/useList.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { wantNames } from "../../live/petNames.ts"
import { onEvents } from "../../live/stream.ts"
import { go, here, linkTo, route } from "../../router.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { ListCard } from "../../ui/ListCard.tsx"
import { Meter } from "../../ui/Meter.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Search } from "../../ui/Search.tsx"
import { Empty, NoScopePage } from "../../ui/states.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { number, totalText } from "../../ui/text.ts"
import { PetName } from "../orders/PetName.tsx"
import { PetDetail } from "./PetDetail.tsx"
import { type Item, petTones } from "./pet.ts"
import { createPet } from "./petActions.ts"
import { useStock } from "./useStock.ts"

const statuses = [
  { value: "", name: "All" },
  { value: "available", name: "Available" },
  { value: "pending", name: "Pending" },
  { value: "sold", name: "Sold" },
  { value: "low", name: "Runs out" }
]

const Available = ({ item }: { item: Item | undefined }) =>
  item === undefined ? (
    <span class="muted">–</span>
  ) : (
    <span class="available">
      <Meter
        part={item.available}
        of={item.quantity}
        tone={item.available === 0 ? "bad" : item.available < few ? "wait" : "ok"}
      />
      <span>
        {number(item.available)} <span class="muted">of {number(item.quantity)}</span>
      </span>
    </span>
  )

const columnsOf = (stock: ReadonlyMap<number, Item>): ReadonlyArray<Column<Pet>> => [
  { name: "Id", cell: (row) => <span class="mono">{row.id}</span> },
  { name: "Name", grow: true, cell: (row) => <span class="clip">{row.name}</span> },
  { name: "Status", cell: (row) => <Badge tone={petTones[row.status ?? ""] ?? "idle"}>{row.status}</Badge> },
  { name: "Available", end: true, cell: (row) => <Available item={stock.get(row.id)} /> },
  {
    name: "Reserved",
    wide: true,
    end: true,
    cell: (row) => {
      const reserved = stock.get(row.id)?.reserved ?? 0
      return reserved === 0 ? <span class="muted">–</span> : number(reserved)
    }
  }
]

/** Below this number of available units, a pet runs out. */
const few = 5

const lowColumns: ReadonlyArray<Column<Item>> = [
  { name: "Id", cell: (row) => <span class="mono">{row.petId}</span> },
  {
    name: "Name",
    grow: true,
    cell: (row) => (
      <span class="clip">
        <PetName id={row.petId} />
      </span>
    )
  },
  { name: "Status", cell: (row) => <Badge tone={petTones[row.status] ?? "idle"}>{row.status}</Badge> },
  { name: "Available", end: true, cell: (row) => <Available item={row} /> }
]

/** The stock that is almost gone. */
const RunsOut = ({ open }: { open: string | undefined }) => {
  const isSorted = session.value?.indexes?.includes("inventory.available") === true
  const list = useList<Item>(mayRead("inventory:read") ? "/inventory" : undefined, {
    maxAvailable: few - 1,
    ...(isSorted ? { sort: "available" } : {})
  })
  const rows = list.rows.value
  useEffect(() => wantNames(rows?.map(({ petId }) => petId) ?? []), [rows])
  useReloadSoon(list, 3000, (events) => events.some(({ type }) => type === "inventory.updated"))
  if (!mayRead("inventory:read")) return <NoScopePage title="Stock" scope="inventory:read" />
  return (
    <ListCard
      list={list}
      label="Pets that run out"
      keyOf={(row) => row.petId}
      open={open}
      linkOf={(row) => here({}, row.petId)}
      columns={lowColumns}
      empty={<Empty icon="check" title="No pet runs out" />}
    />
  )
}

const NoPets = ({ filtered }: { filtered: boolean }) => (
  <Empty icon="pets" title={filtered ? "No pet fits" : "No pets yet"}>
    {filtered ? (
      <a href={linkTo("pets")}>Show all pets</a>
    ) : (
      <>
        Import some: <code>petstore import --sample</code>
      </>
    )}
  </Empty>
)

/** Keeps the names and states of the pets that are shown as the events say. */
const useLivePets = (list: Loaded<Pet>): void =>
  useEffect(
    () =>
      onEvents((events) => {
        const changed = events.filter(({ type }) => type === "pet.updated" || type === "pet.status_changed")
        if (changed.length === 0 || list.rows.value === undefined) return
        const pets = new Map(changed.map(({ data }) => [Number(data.id), data as Pet] as const))
        list.rows.value = list.rows.value.map((row) => pets.get(row.id) ?? row)
      }),
    []
  )

export const Pets = () => {
  const { id, query } = route.value
  const status = query.get("status") ?? ""
  const name = query.get("name")?.trim() ?? ""
  const category = query.get("category") ?? ""
  const allowed = mayRead("pets:read")
  const isLow = status === "low"
  const words = session.value?.search === "words"
  const recorded = recordQuery()
  const list = useList<Pet>(allowed && !isLow ? "/pets" : undefined, {
    ...recorded,
    ...(name === "" ? {} : { [words ? "search" : "name"]: name }),
    ...(/^\d+$/.test(category) ? { categoryId: category } : {}),
    count: true,
    ...(status === "" ? {} : { status })
  })
  const { more, stock } = useStock({
    pets: list,
    status,
    found: isLow || name !== "" || category !== "" || recorded !== undefined
  })
  useLivePets(list)
  if (!allowed) return <NoScopePage title="Pets and stock" scope="pets:read" />
  const create = (
    <Button blocked={whyNot("pets:write")} onClick={() => createPet(list.reload)}>
      Create a pet
    </Button>
  )
  return (
    <>
      <PageHead title="Pets and stock" actions={create}>
        {list.total.value !== undefined && <span class="muted">{totalText(list.total.value)}</span>}
      </PageHead>
      <div class="filters">
        <Tabs
          label="Status"
          value={status}
          options={statuses.map((one) => ({ ...one, link: here({ status: one.value, metadata: "" }, null) }))}
        />
        {!isLow && (
          <>
            <Search
              label={words ? "Words of the name" : "Beginning of the name"}
              placeholder={words ? "Words of the name" : "Name begins with"}
              value={name}
              onInput={(value) => go(here({ name: value, from: "", to: "", metadata: "" }, null), true)}
            />
            <RecordFilters kind="pets" beside={["name"]} />
          </>
        )}
      </div>
      {isLow ? (
        <RunsOut open={id} />
      ) : (
        <ListCard
          list={list}
          onMore={more}
          label="Pets"
          keyOf={(row) => row.id}
          open={id}
          linkOf={(row) => here({}, row.id)}
          columns={columnsOf(stock)}
          empty={<NoPets filtered={name !== "" || status !== "" || category !== "" || recorded !== undefined} />}
        />
      )}
      {id !== undefined && <PetDetail key={id} id={id} />}
    </>
  )
}
