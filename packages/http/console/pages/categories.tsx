import { useEffect } from "preact/hooks"
import { call, mayRead, onEvents, whyNot } from "../api.ts"
import { openForm } from "../forms.tsx"
import { useList, useOne } from "../list.ts"
import { RecordSection, useRecord } from "../record.tsx"
import { go, here, linkTo, route } from "../router.ts"
import { act, Button, confirm, Drawer, Empty, Facts, Failed, More, NoScope, Table, Time } from "../ui.tsx"

export interface Category {
  readonly id: number
  readonly name: string
  readonly description?: string
}

const fieldsOf = ({ description = "", name = "" }: Partial<Category> = {}) =>
  [
    { name: "name", label: "Name", value: name, required: true },
    { name: "description", label: "Description", value: description, lines: true }
  ] as const

const Detail = ({ id }: { id: string }) => {
  const path = `/categories/${id}`
  const category = useOne<Category>(path)
  const record = useRecord(path)
  const { error, etag, reload, value } = category
  useEffect(
    () =>
      onEvents((events) => {
        if (!events.some(({ subject }) => subject === `categories/${id}`)) return
        // The entity tag of the record is another one when the category changes.
        for (const one of [category, record]) one.reload()
      }),
    [id]
  )
  const edit = (): void =>
    openForm({
      title: `Edit category ${id}`,
      fields: fieldsOf(value),
      yes: "Save the category",
      done: "The category is saved",
      submit: async ({ description = "", name = "" }) => {
        const body = { name, description: description.trim() === "" ? null : description }
        await call("PATCH", path, { body, ifMatch: etag, idempotent: true })
        reload()
      }
    })
  const remove = async (): Promise<void> => {
    const asked = {
      title: `Delete category ${id}?`,
      text: "Only a category without pets can be deleted. This cannot be undone.",
      yes: "Delete the category",
      danger: true
    }
    if (!(await confirm(asked))) return
    const action = () => call("DELETE", path, { ifMatch: etag, idempotent: true })
    if (await act(`Category ${id} is deleted`, action)) go(here({}, null))
  }
  return (
    <Drawer
      kicker={`Category ${id}`}
      title={value?.name ?? `Category ${id}`}
      close={here({}, null)}
      actions={
        <>
          <Button blocked={whyNot("pets:write")} onClick={edit}>
            Edit
          </Button>
          <Button kind="danger" blocked={whyNot("pets:write")} onClick={remove}>
            Delete category
          </Button>
        </>
      }
    >
      {error !== undefined ? (
        <Failed error={error} retry={reload} />
      ) : (
        <>
          <Facts
            of={[
              ["Description", value?.description],
              ["Created", <Time at={record.value?.createdAt} />],
              ["External id", record.value?.externalId],
              ["Pets", <a href={linkTo("pets", undefined, { category: id })}>show them</a>]
            ]}
          />
          <RecordSection path={path} record={record} scope="pets:write" />
        </>
      )}
    </Drawer>
  )
}

export const Categories = () => {
  const { id } = route.value
  const allowed = mayRead("pets:read")
  const list = useList<Category>(allowed ? "/categories" : undefined)
  useEffect(() => onEvents((events) => events.some(({ type }) => type.startsWith("category.")) && list.reload()), [])
  const create = (): void =>
    openForm({
      title: "Create a category",
      fields: fieldsOf(),
      yes: "Create the category",
      done: "The category is created",
      submit: async ({ description = "", name = "" }) => {
        const body = { name, ...(description.trim() === "" ? {} : { description }) }
        await call("POST", "/categories", { body, idempotent: true })
        list.reload()
      }
    })
  const rows = list.rows.value
  return (
    <>
      <header class="page-head">
        <h1>Categories</h1>
        <div class="page-actions">
          <Button blocked={whyNot("pets:write")} onClick={create}>
            Create a category
          </Button>
        </div>
      </header>
      {!allowed ? (
        <NoScope scope="pets:read" />
      ) : (
        <section class="card table-card">
          {list.error.value !== undefined ? (
            <Failed error={list.error.value} retry={list.reload} />
          ) : rows?.length === 0 ? (
            <Empty icon="pets" title="No categories yet" />
          ) : (
            <Table
              label="Categories"
              rows={rows}
              keyOf={(row) => row.id}
              open={id}
              linkOf={(row) => here({}, row.id)}
              columns={[
                { name: "Id", cell: (row) => <span class="mono">{row.id}</span> },
                { name: "Name", cell: (row) => <span class="clip">{row.name}</span> },
                {
                  name: "Description",
                  grow: true,
                  wide: true,
                  cell: (row) => <span class="clip muted">{row.description}</span>
                }
              ]}
            />
          )}
          <More list={list} />
        </section>
      )}
      {allowed && id !== undefined && <Detail key={id} id={id} />}
    </>
  )
}
