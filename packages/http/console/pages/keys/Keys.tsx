import type { Account, ApiKey } from "@petstore/core"
import { isAdmin, whyNot } from "../../api/scopes.ts"
import { useList } from "../../lists/useList.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { ListCard } from "../../ui/ListCard.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Empty, NoScopePage } from "../../ui/states.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { createAccount, createKey, isMine, revokeKey, rotateKey } from "./keyActions.ts"

const KeyName = ({ account, row }: { account: string; row: ApiKey }) => (
  <>
    <b>{row.name}</b> {isMine(row) && <Badge tone="info">you</Badge>}
    <small class="muted block">{account}</small>
  </>
)

const End = ({ at }: { at: string | undefined }) =>
  at === undefined ? <span class="muted">never</span> : <Time at={at} />

const columnsOf = (accountOf: (row: ApiKey) => string, done: () => void): ReadonlyArray<Column<ApiKey>> => [
  { name: "Name", cell: (row) => <KeyName row={row} account={accountOf(row)} /> },
  {
    name: "Scopes",
    grow: true,
    wide: true,
    cell: (row) => (
      <span class="chips">
        {row.scopes.map((scope) => (
          <code key={scope} class={scope === "admin" ? "strong" : ""}>
            {scope}
          </code>
        ))}
      </span>
    )
  },
  { name: "Last use", end: true, cell: (row) => <End at={row.lastUsedAt} /> },
  { name: "Expires", end: true, wide: true, cell: (row) => <End at={row.expiresAt} /> },
  {
    name: "Actions",
    end: true,
    cell: (row) => (
      <>
        <Button label={`Rotate ${row.name}`} blocked={whyNot("admin")} onClick={() => rotateKey(row, done)}>
          Rotate
        </Button>
        <Button
          kind="danger"
          label={`Revoke ${row.name}`}
          blocked={whyNot("admin")}
          onClick={() => revokeKey(row, done)}
        >
          Revoke
        </Button>
      </>
    )
  }
]

export const Keys = () => {
  const list = useList<ApiKey>(isAdmin.value ? "/api-keys" : undefined)
  const accounts = useList<Account>(isAdmin.value ? "/accounts" : undefined, { limit: 100 })
  useReloadSoon(list, 500, (events) => events.some(({ type }) => type.startsWith("apiKey.")))
  if (!isAdmin.value) return <NoScopePage title="Keys" scope="admin" />
  const known = accounts.rows.value
  const blocked = whyNot("admin")
  const accountOf = ({ accountId }: ApiKey): string =>
    known?.find(({ id }) => id === accountId)?.name ?? `account ${accountId}`
  const buttons = (
    <>
      <Button blocked={blocked} onClick={() => createAccount(accounts.reload)}>
        Create an account
      </Button>
      <Button
        kind="primary"
        blocked={blocked ?? (known?.length === 0 ? "Create an account first" : undefined)}
        onClick={() => known !== undefined && createKey(known, list.reload)}
      >
        Create a key
      </Button>
    </>
  )
  return (
    <>
      <PageHead title="Keys" actions={buttons} />
      <ListCard
        list={list}
        label="API keys"
        keyOf={(row) => row.id}
        columns={columnsOf(accountOf, list.reload)}
        empty={<Empty icon="keys" title="No keys in the store" />}
      />
    </>
  )
}
