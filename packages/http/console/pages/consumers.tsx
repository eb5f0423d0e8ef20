import { useEffect } from "preact/hooks"
import { mayRead, stats, statsError, wantFigures } from "../api.ts"
import { Badge, duration, Empty, Failed, NoScope, number, Table, type Tone } from "../ui.tsx"

export const Consumers = () => {
  useEffect(wantFigures, [])
  const now = stats.value
  return (
    <>
      <header class="page-head">
        <h1>Consumers</h1>
      </header>
      <section class="card table-card">
        {!mayRead("stats:read") ? (
          <NoScope scope="stats:read" />
        ) : now === undefined && statsError.value !== "" ? (
          <Failed error={new Error(statsError.value)} retry={() => {}} />
        ) : now?.consumers.length === 0 ? (
          <Empty icon="consumers" title="No consumers yet">
            Code that embeds the petstore follows the log with <code>petstore.events.consume(name, …)</code>.
          </Empty>
        ) : (
          <Table
            label="Consumers of events"
            rows={now?.consumers}
            keyOf={({ name }) => name}
            columns={[
              { name: "Name", grow: true, cell: ({ name }) => <b>{name}</b> },
              {
                name: "State",
                cell: ({ age, lag }) => {
                  const tone: Tone = lag === 0 ? "ok" : age < 60 ? "info" : "wait"
                  return <Badge tone={tone}>{lag === 0 ? "up to date" : age < 60 ? "at work" : "behind"}</Badge>
                }
              },
              {
                name: "Position",
                end: true,
                wide: true,
                cell: ({ position }) => <span class="mono">{number(position)}</span>
              },
              { name: "Events behind", end: true, cell: ({ lag }) => number(lag) },
              {
                name: "Time behind",
                end: true,
                cell: ({ age }) => (age === 0 ? <span class="muted">–</span> : duration(age))
              }
            ]}
          />
        )}
      </section>
    </>
  )
}
