import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { call, get, mayRead, onEvents, type Pet, whyNot } from "../api.ts"
import { openForm } from "../forms.tsx"
import { type One, useList, useOne } from "../list.ts"
import { RecordSection, useRecord } from "../record.tsx"
import { go, here, linkTo, route } from "../router.ts"
import {
  act,
  Badge,
  Button,
  confirm,
  Drawer,
  Empty,
  Facts,
  Failed,
  Meter,
  NoScopePage,
  number,
  Search,
  Section,
  Table,
  Tabs,
  Time,
  type Tone
} from "../ui.tsx"
import type { Category } from "./categories.tsx"

interface Item {
  readonly petId: number
  readonly quantity: number
  readonly status: string
  readonly reserved: number
  readonly available: number
}
interface Movement {
  readonly seq: number
  readonly kind: string
  readonly deltaOnHand: number
  readonly deltaReserved: number
  readonly orderId?: number
  readonly actor: string
  readonly at: string
  readonly note?: string
}

const petTones: Readonly<Record<string, Tone>> = { available: "ok", pending: "wait", sold: "idle" }
const signed = (value: number): string => (value > 0 ? `+${value}` : String(value))

const Adjust = ({ id, done }: { id: string; done: () => void }) => {
  const delta = useSignal("")
  const reason = useSignal("correction")
  const note = useSignal("")
  const busy = useSignal(false)
  const blocked = whyNot("inventory:write")
  const amount = Number(delta.value)
  const change = (by: number, why: string): Promise<boolean> =>
    act(
      `Stock changed by ${signed(by)}`,
      () =>
        call("POST", `/inventory/${id}/adjustments`, {
          body: { delta: by, reason: why, ...(note.value.trim() === "" ? {} : { note: note.value.trim() }) },
          idempotent: true
        }),
      {
        undo: () => {
          note.value = `undoes ${signed(by)}`
          void change(-by, "correction")
        },
        always: done
      }
    )
  return (
    <form
      class="adjust"
      onSubmit={async (event) => {
        event.preventDefault()
        if (!Number.isInteger(amount) || amount === 0 || busy.peek()) return
        busy.value = true
        if (await change(amount, reason.value)) {
          delta.value = ""
          note.value = ""
        }
        busy.value = false
      }}
    >
      <label>
        <span>Change by</span>
        <input
          type="number"
          step="1"
          required
          placeholder="+5 or -2"
          value={delta.value}
          onInput={(event) => (delta.value = event.currentTarget.value)}
        />
      </label>
      <label>
        <span>Reason</span>
        <select value={reason.value} onChange={(event) => (reason.value = event.currentTarget.value)}>
          {reasons.map((one) => (
            <option key={one} value={one}>
              {one.replaceAll("_", " ")}
            </option>
          ))}
        </select>
      </label>
      <label class="grow">
        <span>Note</span>
        <input
          maxLength={200}
          placeholder="for the ledger"
          value={note.value}
          onInput={(event) => (note.value = event.currentTarget.value)}
        />
      </label>
      <Button type="submit" kind="primary" blocked={blocked} busy={busy.value}>
        Change
      </Button>
    </form>
  )
}
const reasons = ["correction", "received", "returned", "damaged"]

/** Every category by its id: a shop has few. */
const categoryOptions = async () => {
  const { data } = await get<ReadonlyArray<Category>>("/categories", { limit: 100 })
  return data.map(({ id, name }) => [String(id), name] as const)
}

const createPet = async (done: () => void): Promise<void> => {
  const options = await categoryOptions()
  openForm({
    title: "Create a pet",
    fields: [
      { name: "name", label: "Name", required: true },
      { name: "categoryId", label: "Category", options }
    ],
    yes: "Create the pet",
    done: "The pet is created",
    submit: async ({ categoryId, name }) => {
      await call("POST", "/pets", { body: { name, categoryId: Number(categoryId) }, idempotent: true })
      done()
    }
  })
}

const editPet = async ({ etag, reload, value }: One<Pet>): Promise<void> => {
  if (value === undefined) return
  const options = await categoryOptions()
  const known = options.some(([id]) => id === String(value.categoryId))
  openForm({
    title: `Edit pet ${value.id}`,
    fields: [
      { name: "name", label: "Name", value: value.name, required: true },
      {
        name: "categoryId",
        label: "Category",
        value: String(value.categoryId),
        options: known ? options : [[String(value.categoryId), `Category ${value.categoryId}`], ...options]
      },
      {
        name: "status",
        label: "Status",
        value: value.status,
        options: [
          ["available", "available"],
          ["pending", "pending: on hold, takes no orders"],
          ["sold", "sold: no units are left"]
        ]
      }
    ],
    yes: "Save the pet",
    done: "The pet is saved",
    submit: async ({ categoryId, name, status }) => {
      // A status that stays is left out: a pet becomes sold by its stock, too.
      const body = { name, categoryId: Number(categoryId), ...(status === value.status ? {} : { status }) }
      await call("PATCH", `/pets/${value.id}`, { body, ifMatch: etag, idempotent: true })
      reload()
    }
  })
}

const removePet = async ({ etag, value }: One<Pet>): Promise<void> => {
  if (value === undefined) return
  const asked = {
    title: `Delete pet ${value.id}?`,
    text: "Only a pet without open orders can be deleted. This cannot be undone.",
    yes: "Delete the pet",
    danger: true
  }
  if (!(await confirm(asked))) return
  const action = () => call("DELETE", `/pets/${value.id}`, { ifMatch: etag, idempotent: true })
  if (await act(`Pet ${value.id} is deleted`, action)) go(here({}, null))
}

const Detail = ({ id }: { id: string }) => {
  const pet = useOne<Pet & { inventory: Item }>(`/store/pets/${id}`)
  const ledger = useList<Movement>(`/inventory/${id}/movements`, { limit: 30 })
  const record = useRecord(`/pets/${id}`)
  const category = useOne<{ name: string }>(pet.value === undefined ? undefined : `/categories/${pet.value.categoryId}`)
  const reload = (): void => {
    pet.reload()
    ledger.reload()
    // Its entity tag is another one when the pet changes.
    record.reload()
  }
  useEffect(
    () =>
      onEvents(
        (events) => events.some(({ subject }) => subject === `pets/${id}` || subject === `inventory/${id}`) && reload()
      ),
    [id]
  )
  const value = pet.value
  const stock = value?.inventory
  return (
    <Drawer
      kicker={`Pet ${id}`}
      title={value?.name ?? `Pet ${id}`}
      close={here({}, null)}
      actions={
        <>
          <a class="button" href={linkTo("orders", undefined, { pet: id })}>
            Its orders
          </a>
          <Button blocked={whyNot("pets:write")} onClick={() => editPet(pet)}>
            Edit
          </Button>
          <Button kind="danger" blocked={whyNot("pets:write")} onClick={() => removePet(pet)}>
            Delete pet
          </Button>
        </>
      }
    >
      {pet.error !== undefined ? (
        <Failed error={pet.error} retry={pet.reload} />
      ) : value !== undefined && stock !== undefined ? (
        <>
          <div class="stock-figures">
            <span>
              <strong>{number(stock.quantity)}</strong> on hand
            </span>
            <span>
              <strong>{number(stock.reserved)}</strong> reserved
            </span>
            <span class={stock.available === 0 ? "bad" : "ok"}>
              <strong>{number(stock.available)}</strong> available
            </span>
          </div>
          <Meter part={stock.available} of={stock.quantity} tone={stock.available === 0 ? "bad" : "ok"} />
          <Section title="Change the stock">
            <Adjust id={id} done={reload} />
          </Section>
          <Facts
            of={[
              ["Status", <Badge tone={petTones[value.status ?? ""] ?? "idle"}>{value.status}</Badge>],
              ["Category", category.value?.name ?? value.categoryId],
              ["Created", <Time at={record.value?.createdAt} />],
              ["External id", record.value?.externalId]
            ]}
          />
          <Section title="Ledger" extra={<small class="muted"> the oldest first</small>}>
            <Table
              label="Movements of the stock"
              rows={ledger.rows.value}
              keyOf={(row) => row.seq}
              columns={[
                {
                  name: "Kind",
                  grow: true,
                  cell: (row) => (
                    <>
                      {row.kind.replaceAll("_", " ")}
                      {row.note !== undefined && <small class="muted block clip">{row.note}</small>}
                    </>
                  )
                },
                {
                  name: "On hand",
                  end: true,
                  cell: (row) => (row.deltaOnHand === 0 ? <span class="muted">0</span> : signed(row.deltaOnHand))
                },
                {
                  name: "Reserved",
                  end: true,
                  cell: (row) => (row.deltaReserved === 0 ? <span class="muted">0</span> : signed(row.deltaReserved))
                },
                { name: "Who", cell: (row) => <span class="muted">{row.actor}</span> },
                { name: "When", end: true, cell: (row) => <Time at={row.at} /> }
              ]}
            />
            {ledger.more.value !== undefined && (
              <Button kind="quiet" busy={ledger.loading.value} onClick={ledger.more.value}>
                Load more
              </Button>
            )}
          </Section>
          <RecordSection path={`/pets/${id}`} record={record} scope="pets:write" />
        </>
      ) : null}
    </Drawer>
  )
}

const Available = ({ item }: { item: Item | undefined }) =>
  item === undefined ? (
    <span class="muted">–</span>
  ) : (
    <span class="available">
      <Meter
        part={item.available}
        of={item.quantity}
        tone={item.available === 0 ? "bad" : item.available < 5 ? "wait" : "ok"}
      />
      <span>
        {number(item.available)} <span class="muted">of {number(item.quantity)}</span>
      </span>
    </span>
  )

const statuses = [
  { value: "", name: "All" },
  { value: "available", name: "Available" },
  { value: "pending", name: "Pending" },
  { value: "sold", name: "Sold" }
]

export const Pets = () => {
  const { id, query } = route.value
  const status = query.get("status") ?? ""
  const name = query.get("name") ?? ""
  const category = query.get("category") ?? ""
  const allowed = mayRead("pets:read")
  const list = useList<Pet>(allowed ? "/pets" : undefined, {
    ...(name === "" ? {} : { name }),
    ...(/^\d+$/.test(category) ? { categoryId: category } : {}),
    count: true,
    ...(status === "" ? {} : { status })
  })
  const stock = useSignal<ReadonlyMap<number, Item>>(new Map())
  const rows = list.rows.value
  // Both lists are in the order of ids with the same filter, so their pages have the same pets: two requests a page.
  const items = useList<Item>(
    mayRead("inventory:read") && name === "" && category === "" ? "/inventory" : undefined,
    status === "" ? {} : { status }
  )
  const read = items.rows.value
  useEffect(() => {
    if (read !== undefined) stock.value = new Map([...stock.value, ...read.map((item) => [item.petId, item] as const)])
  }, [read])
  // Found by name, a page of pets is not a page of the inventory, which takes no ids: the first of them, one by one.
  useEffect(() => {
    if (rows === undefined || (name === "" && category === "") || !mayRead("inventory:read")) return
    const missing = rows.filter((row) => !stock.value.has(row.id)).slice(0, 10)
    void Promise.all(
      missing.map((row) =>
        get<Item>(`/inventory/${row.id}`).then(
          ({ data }) => data,
          () => undefined
        )
      )
    ).then((items) => {
      const known = items.filter((item): item is Item => item !== undefined)
      if (known.length > 0) stock.value = new Map([...stock.value, ...known.map((item) => [item.petId, item] as const)])
    })
  }, [rows])
  useEffect(
    () =>
      onEvents((events) => {
        const items = events
          .filter(({ type }) => type === "inventory.updated")
          .map(({ data }) => [data.petId ?? 0, data as Item] as const)
        if (items.length > 0) stock.value = new Map([...stock.value, ...items])
        const pets = new Map(
          events
            .filter(({ type }) => /^pet\.(?:updated|status_changed)$/.test(type))
            .map(({ data }) => [Number(data.id), data as Pet] as const)
        )
        if (pets.size > 0 && list.rows.value !== undefined)
          list.rows.value = list.rows.value.map((row) => pets.get(row.id) ?? row)
      }),
    []
  )
  if (!allowed) return <NoScopePage title="Pets and stock" scope="pets:read" />
  return (
    <>
      <header class="page-head">
        <h1>Pets and stock</h1>
        {list.total.value !== undefined && <span class="muted">{list.total.value}</span>}
        <div class="page-actions">
          <Button blocked={whyNot("pets:write")} onClick={() => createPet(list.reload)}>
            Create a pet
          </Button>
        </div>
      </header>
      <div class="filters">
        <Tabs
          label="Status"
          value={status}
          options={statuses.map((one) => ({ ...one, link: here({ status: one.value }, null) }))}
        />
        <Search
          label="Beginning of the name"
          placeholder="Name begins with"
          value={name}
          onInput={(value) => go(here({ name: value }, null), true)}
        />
      </div>
      <section class="card table-card">
        {list.error.value !== undefined ? (
          <Failed error={list.error.value} retry={list.reload} />
        ) : rows?.length === 0 ? (
          <Empty icon="pets" title={name === "" && status === "" ? "No pets yet" : "No pet fits"}>
            {name === "" && status === "" ? (
              <>
                Import some: <code>petstore import --sample</code>
              </>
            ) : (
              <a href={linkTo("pets")}>Show all pets</a>
            )}
          </Empty>
        ) : (
          <Table
            label="Pets"
            rows={rows}
            keyOf={(row) => row.id}
            open={id}
            linkOf={(row) => here({}, row.id)}
            columns={[
              { name: "Id", cell: (row) => <span class="mono">{row.id}</span> },
              { name: "Name", grow: true, cell: (row) => <span class="clip">{row.name}</span> },
              {
                name: "Status",
                cell: (row) => <Badge tone={petTones[row.status ?? ""] ?? "idle"}>{row.status}</Badge>
              },
              { name: "Available", end: true, cell: (row) => <Available item={stock.value.get(row.id)} /> },
              {
                name: "Reserved",
                wide: true,
                end: true,
                cell: (row) => {
                  const item = stock.value.get(row.id)
                  return item === undefined || item.reserved === 0 ? (
                    <span class="muted">–</span>
                  ) : (
                    number(item.reserved)
                  )
                }
              }
            ]}
          />
        )}
        {list.more.value !== undefined && (
          <div class="more">
            <Button
              busy={list.loading.value}
              onClick={() => {
                list.more.value?.()
                items.more.value?.()
              }}
            >
              Load more
            </Button>
          </div>
        )}
      </section>
      {id !== undefined && <Detail key={id} id={id} />}
    </>
  )
}
