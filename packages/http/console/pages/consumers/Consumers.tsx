import type { Consumer } from "@petstore/core"
import { useComputed } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { mayRead } from "../../api/scopes.ts"
import { useList } from "../../lists/useList.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { stats, wantFigures } from "../../live/stats.ts"
import { here, route } from "../../router.ts"
import { Badge } from "../../ui/Badge.tsx"
import { ListCard } from "../../ui/ListCard.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Empty, NoScopePage } from "../../ui/states.tsx"
import type { Column } from "../../ui/Table.tsx"
import { duration, number } from "../../ui/text.ts"
import { ConsumerDetail } from "./ConsumerDetail.tsx"

/** A consumer with what the last reading of the figures says of it. */
interface Row extends Consumer {
  /** How old its next event is, in seconds, if it is known. */
  readonly age: number | undefined
}

const ConsumerState = ({ of: { age = 0, attempts, lag } }: { of: Row }) =>
  attempts > 0 ? (
    <Badge tone="bad">failing</Badge>
  ) : lag === 0 ? (
    <Badge tone="ok">up to date</Badge>
  ) : age < 60 ? (
    <Badge tone="info">at work</Badge>
  ) : (
    <Badge tone="wait">behind</Badge>
  )

const columns: ReadonlyArray<Column<Row>> = [
  { name: "Name", grow: true, cell: ({ name }) => name },
  { name: "State", cell: (row) => <ConsumerState of={row} /> },
  { name: "Position", end: true, wide: true, cell: ({ position }) => <span class="mono">{number(position)}</span> },
  { name: "Events behind", end: true, cell: ({ lag }) => number(lag) },
  {
    name: "Time behind",
    end: true,
    cell: ({ age = 0 }) => (age === 0 ? <span class="muted">–</span> : duration(age))
  }
]

const NoConsumers = () => (
  <Empty icon="consumers" title="No consumers yet">
    Code that embeds the petstore follows the log with <code>petstore.events.consume(name, …)</code>.
  </Empty>
)

export const Consumers = () => {
  const { id } = route.value
  const allowed = mayRead("consumers:read")
  const list = useList<Consumer>(allowed ? "/consumers" : undefined)
  useEffect(wantFigures, [])
  useReloadSoon(list, 3000, () => true)
  const rows = useComputed(() => {
    const figures = new Map(stats.value?.consumers.map((one) => [one.name, one]))
    return list.rows.value?.map((row): Row => ({ ...row, age: undefined, ...figures.get(row.name) }))
  })
  if (!allowed) return <NoScopePage title="Consumers" scope="consumers:read" />
  return (
    <>
      <PageHead title="Consumers" />
      <ListCard
        list={{ ...list, rows }}
        label="Consumers of events"
        keyOf={({ name }) => name}
        open={id}
        linkOf={({ name }) => here({}, name)}
        columns={columns}
        empty={<NoConsumers />}
      />
      {id !== undefined && <ConsumerDetail key={id} name={id} />}
    </>
  )
}
