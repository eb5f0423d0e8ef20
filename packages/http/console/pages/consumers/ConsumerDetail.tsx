import type { Consumer, ParkedEvent } from "@petstore/core"
import { whyNot } from "../../api/scopes.ts"
import { type Loaded, useList } from "../../lists/useList.ts"
import { useOne } from "../../lists/useOne.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { here, linkTo } from "../../router.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Drawer } from "../../ui/Drawer.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Section } from "../../ui/Section.tsx"
import { Failed } from "../../ui/states.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { number } from "../../ui/text.ts"
import { consumerPath, discard, replay, replayAll } from "./parkedActions.ts"

const columnsOf = (name: string, done: () => void): ReadonlyArray<Column<ParkedEvent>> => [
  { name: "Event", cell: ({ seq }) => <a href={linkTo("events", seq)}>#{number(seq)}</a> },
  {
    name: "Why",
    grow: true,
    cell: ({ attempts, error }) => (
      <>
        <span class="clip">{error}</span>
        <small class="muted block">{attempts} attempts</small>
      </>
    )
  },
  { name: "Parked", end: true, cell: ({ parkedAt }) => <Time at={parkedAt} /> },
  {
    name: "Actions",
    end: true,
    cell: ({ replaying, seq }) => (
      <>
        {replaying ? (
          <Badge tone="info">replaying</Badge>
        ) : (
          <Button
            label={`Replay event ${seq}`}
            blocked={whyNot("consumers:write")}
            onClick={() => replay(name, seq, done)}
          >
            Replay
          </Button>
        )}
        <Button
          kind="danger"
          label={`Drop event ${seq}`}
          blocked={whyNot("consumers:write")}
          onClick={() => discard(name, seq, done)}
        >
          Drop
        </Button>
      </>
    )
  }
]

const Parked = ({ list, name }: { list: Loaded<ParkedEvent>; name: string }) => {
  const rows = list.rows.value
  return (
    <Section title="Parked events">
      {list.error.value !== undefined ? (
        <Failed error={list.error.value} retry={list.reload} />
      ) : rows?.length === 0 ? (
        <p class="muted">None: it has passed no event that failed.</p>
      ) : (
        <Table label="Parked events" rows={rows} keyOf={({ seq }) => seq} columns={columnsOf(name, list.reload)} />
      )}
      {list.more.value !== undefined && (
        <Button kind="quiet" busy={list.loading.value} onClick={list.more.value}>
          Load more
        </Button>
      )}
      {rows !== undefined && rows.length > 1 && (
        <Button blocked={whyNot("consumers:write")} onClick={() => replayAll(name).then(list.reload)}>
          Replay all
        </Button>
      )}
    </Section>
  )
}

const ConsumerFacts = ({
  of: { attempts, createdAt, lag, lastError, lease, position, retryAt, types }
}: {
  of: Consumer
}) => (
  <Facts
    of={[
      ["Position", number(position)],
      ["Events behind", number(lag)],
      ["Types", types?.join(", ") ?? "all types"],
      ["Runs in", lease?.holder ?? "no process"],
      ["Failed attempts", attempts === 0 ? undefined : number(attempts)],
      ["Next attempt", retryAt === undefined ? undefined : <Time at={retryAt} />],
      ["Last error", lastError?.message],
      ["It happened", lastError === undefined ? undefined : <Time at={lastError.at} />],
      ["Created", <Time at={createdAt} />]
    ]}
  />
)

export const ConsumerDetail = ({ name }: { name: string }) => {
  const path = consumerPath(name)
  const { error, reload, value } = useOne<Consumer>(path)
  const parked = useList<ParkedEvent>(`${path}/parked`)
  // Neither has events of its own.
  const both = {
    rows: parked.rows,
    reload: () => {
      reload()
      parked.reload()
    }
  }
  useReloadSoon(both, 3000, () => true)
  return (
    <Drawer kicker="Consumer" title={name} close={here({}, null)}>
      {error !== undefined ? (
        <Failed error={error} retry={reload} />
      ) : (
        <>
          {value !== undefined && <ConsumerFacts of={value} />}
          <Parked list={parked} name={name} />
        </>
      )}
    </Drawer>
  )
}
