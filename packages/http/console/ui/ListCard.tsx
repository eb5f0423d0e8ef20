import type { ComponentChildren } from "preact"
import type { Loaded } from "../lists/useList.ts"
import { Button } from "./Button.tsx"
import { Empty, Failed } from "./states.tsx"
import { Table, type TableProps } from "./Table.tsx"

interface ListCardProps<A> extends Omit<TableProps<A>, "rows"> {
  readonly list: Loaded<A>
  /** What is shown instead of no rows. */
  readonly empty: ComponentChildren
  /** What goes on with the list when the user loads more of it. */
  readonly onMore?: () => void
}

/** What loads the next page of a list, if there is one. */
export const More = ({ list, onMore }: { list: Loaded<unknown>; onMore?: (() => void) | undefined }) => {
  const more = list.more.value
  return more === undefined ? null : (
    <div class="more">
      <Button
        busy={list.loading.value}
        onClick={() => {
          more()
          onMore?.()
        }}
      >
        Load more
      </Button>
    </div>
  )
}

/** A list of the API: its rows, or why there are none. */
export const ListCard = <A,>({ empty, list, onMore, ...table }: ListCardProps<A>) => (
  <section class="card table-card">
    {list.error.value !== undefined ? (
      <Failed error={list.error.value} retry={list.reload} />
    ) : list.rows.value?.length === 0 ? (
      list.more.value === undefined ? (
        empty
      ) : (
        <Empty icon="search" title="None so far" />
      )
    ) : (
      <Table {...table} rows={list.rows.value} />
    )}
    <More list={list} onMore={onMore} />
  </section>
)
