import type { Category } from "@petstore/core"
import { whyNot } from "../../api/scopes.ts"
import { useOne } from "../../lists/useOne.ts"
import { useEventsOf } from "../../live/useEventsOf.ts"
import { here, linkTo } from "../../router.ts"
import { Button } from "../../ui/Button.tsx"
import { Drawer } from "../../ui/Drawer.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Failed } from "../../ui/states.tsx"
import { Time } from "../../ui/Time.tsx"
import { HistorySection, useHistoryOf } from "../HistorySection.tsx"
import { RecordSection, useRecord } from "../RecordSection.tsx"
import { editCategory, removeCategory } from "./categoryActions.ts"

export const CategoryDetail = ({ id }: { id: string }) => {
  const path = `/categories/${id}`
  const category = useOne<Category>(path)
  const record = useRecord(path)
  const history = useHistoryOf(`categories/${id}`, "events:pets")
  const { error, etag, reload, value } = category
  useEventsOf([`categories/${id}`], () => {
    // The entity tag of the record is another one when the category changes.
    for (const one of [category, record]) one.reload()
  })
  const blocked = whyNot("pets:write")
  const buttons = (
    <>
      <Button blocked={blocked} onClick={() => editCategory(id, category)}>
        Edit
      </Button>
      <Button kind="danger" blocked={blocked} onClick={() => removeCategory(id, etag)}>
        Delete category
      </Button>
    </>
  )
  return (
    <Drawer kicker={`Category ${id}`} title={value?.name ?? `Category ${id}`} close={here({}, null)} actions={buttons}>
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
          <HistorySection history={history} />
          <RecordSection path={path} record={record} scope="pets:write" />
        </>
      )}
    </Drawer>
  )
}
