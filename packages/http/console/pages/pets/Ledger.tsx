import type { Movement } from "@petstore/core"
import type { Loaded } from "../../lists/useList.ts"
import { Button } from "../../ui/Button.tsx"
import { Section } from "../../ui/Section.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { signed } from "./pet.ts"

const Delta = ({ by }: { by: number }) => (by === 0 ? <span class="muted">0</span> : signed(by))

const columns: ReadonlyArray<Column<Movement>> = [
  {
    name: "Kind",
    grow: true,
    cell: ({ kind, note, reference }) => (
      <>
        {kind.replaceAll("_", " ")}
        {reference !== undefined && <small class="muted block clip">{reference}</small>}
        {note !== undefined && <small class="muted block clip">{note}</small>}
      </>
    )
  },
  { name: "On hand", end: true, cell: (row) => <Delta by={row.deltaOnHand} /> },
  { name: "Reserved", end: true, cell: (row) => <Delta by={row.deltaReserved} /> },
  { name: "Who", cell: (row) => <span class="muted">{row.actor}</span> },
  { name: "When", end: true, cell: (row) => <Time at={row.at} /> }
]

/** How the stock of a pet became what it is. */
export const Ledger = ({ list: { loading, more, rows } }: { list: Loaded<Movement> }) => (
  <Section title="Ledger">
    <Table label="Movements of the stock" rows={rows.value} keyOf={(row) => row.seq} columns={columns} />
    {more.value !== undefined && (
      <Button kind="quiet" busy={loading.value} onClick={more.value}>
        Load more
      </Button>
    )}
  </Section>
)
