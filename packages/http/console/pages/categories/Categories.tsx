import type { Category } from "@petstore/core"
import { mayRead, whyNot } from "../../api/scopes.ts"
import { useList } from "../../lists/useList.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { here, route } from "../../router.ts"
import { Button } from "../../ui/Button.tsx"
import { ListCard } from "../../ui/ListCard.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Empty, NoScopePage } from "../../ui/states.tsx"
import type { Column } from "../../ui/Table.tsx"
import { CategoryDetail } from "./CategoryDetail.tsx"
import { createCategory } from "./categoryActions.ts"

const columns: ReadonlyArray<Column<Category>> = [
  { name: "Id", cell: (row) => <span class="mono">{row.id}</span> },
  { name: "Name", cell: (row) => <span class="clip">{row.name}</span> },
  { name: "Description", grow: true, wide: true, cell: (row) => <span class="clip muted">{row.description}</span> }
]

export const Categories = () => {
  const { id } = route.value
  const allowed = mayRead("pets:read")
  const list = useList<Category>(allowed ? "/categories" : undefined)
  useReloadSoon(list, 500, (events) => events.some(({ type }) => type.startsWith("category.")))
  if (!allowed) return <NoScopePage title="Categories" scope="pets:read" />
  const create = (
    <Button blocked={whyNot("pets:write")} onClick={() => createCategory(list.reload)}>
      Create a category
    </Button>
  )
  return (
    <>
      <PageHead title="Categories" actions={create} />
      <ListCard
        list={list}
        label="Categories"
        keyOf={(row) => row.id}
        open={id}
        linkOf={(row) => here({}, row.id)}
        columns={columns}
        empty={<Empty icon="pets" title="No categories yet" />}
      />
      {id !== undefined && <CategoryDetail key={id} id={id} />}
    </>
  )
}
