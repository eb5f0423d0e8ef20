import { useEffect } from "preact/hooks"
import { mayRead } from "../api/scopes.ts"
import { type Stats, stats, statsError, wantFigures } from "../live/stats.ts"
import { Badge } from "../ui/Badge.tsx"
import { PageHead } from "../ui/PageHead.tsx"
import { Empty, Failed, NoScopePage } from "../ui/states.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { duration, number } from "../ui/text.ts"

type Consumer = Stats["consumers"][number]

const ConsumerState = ({ consumer: { age, lag } }: { consumer: Consumer }) =>
  lag === 0 ? (
    <Badge tone="ok">up to date</Badge>
  ) : age < 60 ? (
    <Badge tone="info">at work</Badge>
  ) : (
    <Badge tone="wait">behind</Badge>
  )

const columns: ReadonlyArray<Column<Consumer>> = [
  { name: "Name", grow: true, cell: ({ name }) => <b>{name}</b> },
  { name: "State", cell: (row) => <ConsumerState consumer={row} /> },
  { name: "Position", end: true, wide: true, cell: ({ position }) => <span class="mono">{number(position)}</span> },
  { name: "Events behind", end: true, cell: ({ lag }) => number(lag) },
  { name: "Time behind", end: true, cell: ({ age }) => (age === 0 ? <span class="muted">–</span> : duration(age)) }
]

export const Consumers = () => {
  useEffect(wantFigures, [])
  if (!mayRead("stats:read")) return <NoScopePage title="Consumers" scope="stats:read" />
  const rows = stats.value?.consumers
  return (
    <>
      <PageHead title="Consumers" />
      <section class="card table-card">
        {rows === undefined && statsError.value !== "" ? (
          <Failed error={new Error(statsError.value)} retry={() => {}} />
        ) : rows?.length === 0 ? (
          <Empty icon="consumers" title="No consumers yet">
            Code that embeds the petstore follows the log with <code>petstore.events.consume(name, …)</code>.
          </Empty>
        ) : (
          <Table label="Consumers of events" rows={rows} keyOf={({ name }) => name} columns={columns} />
        )}
      </section>
    </>
  )
}
