import { call, isAdmin, session, whyNot } from "../api.ts"
import { openForm, showSecret } from "../forms.tsx"
import { useList } from "../list.ts"
import { act, Badge, Button, type Column, confirm, Empty, Failed, More, NoScope, Table, Time } from "../ui.tsx"

interface ApiKey {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  readonly createdAt: string
  readonly expiresAt?: string
  readonly lastUsedAt?: string
}
interface Account {
  readonly id: number
  readonly name: string
}

const presets = [
  ["read", "reads everything but keys"],
  ["write", "reads and changes everything but keys"],
  ["warehouse", "stock, and completes orders"],
  ["storefront", "shows pets, places orders"],
  ["customer", "only their own orders"],
  ["admin", "everything, keys included"]
] as const

const createKey = (accounts: ReadonlyArray<Account>, done: () => void): void =>
  openForm({
    title: "Create a key",
    fields: [
      { name: "name", label: "Name", placeholder: "who or what uses it", required: true },
      { name: "accountId", label: "Account", options: accounts.map(({ id, name }) => [String(id), name] as const) },
      { name: "preset", label: "May", options: presets.map(([name, text]) => [name, `${name}: ${text}`] as const) },
      {
        name: "days",
        label: "Expires",
        value: "90",
        options: [
          ["1", "in a day"],
          ["30", "in 30 days"],
          ["90", "in 90 days"],
          ["", "never"]
        ]
      }
    ],
    yes: "Create the key",
    done: "The key is created",
    submit: async ({ accountId, days = "", name = "", preset }) => {
      const end = days === "" ? undefined : new Date(Date.now() + Number(days) * 86_400_000).toISOString()
      const body = { accountId: Number(accountId), name: name.trim(), preset, ...(end && { expiresAt: end }) }
      const { data } = await call<{ key: string }>("POST", "/api-keys", { body })
      done()
      showSecret("The key", data.key)
    }
  })

const createAccount = (done: () => void): void =>
  openForm({
    title: "Create an account",
    fields: [{ name: "name", label: "Name", placeholder: "whose keys these are", required: true }],
    yes: "Create the account",
    done: "The account is created",
    submit: async ({ name }) => {
      await call("POST", "/accounts", { body: { name }, idempotent: true })
      done()
    }
  })

const isMine = ({ id }: ApiKey): boolean => session.value?.keyId === id

const rotateKey = async (key: ApiKey, done: () => void): Promise<void> => {
  const yes = await confirm({
    title: `Rotate ${key.name}?`,
    text: "It has a new secret. The old one works for 24 hours more.",
    yes: "Rotate the key"
  })
  if (!yes) return
  const action = async () => {
    const { data } = await call<{ key: string }>("POST", `/api-keys/${key.id}/rotate`, { body: {} })
    showSecret("The new secret of the key", data.key)
  }
  await act(`Key ${key.name} has a new secret`, action, { always: done })
}

const revokeKey = async (key: ApiKey, done: () => void): Promise<void> => {
  const yes = await confirm({
    title: `Revoke ${key.name}?`,
    text: isMine(key)
      ? "This is the key that you use: you are signed out at once. It cannot be undone."
      : "Whoever uses it is rejected at once. It cannot be undone.",
    yes: "Revoke the key",
    danger: true
  })
  if (!yes) return
  const action = () => call("DELETE", `/api-keys/${key.id}`, { idempotent: true })
  await act(`Key ${key.name} is revoked`, action, { always: done })
}

const KeyName = ({ account, row }: { account: string; row: ApiKey }) => (
  <>
    <b>{row.name}</b> {isMine(row) && <Badge tone="info">you</Badge>}
    <small class="muted block">{account}</small>
  </>
)

const End = ({ at }: { at: string | undefined }) =>
  at === undefined ? <span class="muted">never</span> : <Time at={at} />

export const Keys = () => {
  const list = useList<ApiKey>(isAdmin.value ? "/api-keys" : undefined)
  const accounts = useList<Account>(isAdmin.value ? "/accounts" : undefined, { limit: 100 })
  const rows = list.rows.value
  const known = accounts.rows.value
  const blocked = whyNot("admin")
  const accountOf = ({ accountId }: ApiKey): string =>
    known?.find(({ id }) => id === accountId)?.name ?? `account ${accountId}`
  return (
    <>
      <header class="page-head">
        <h1>Keys</h1>
        <div class="page-actions">
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
        </div>
      </header>
      <section class="card table-card">
        {!isAdmin.value ? (
          <NoScope scope="admin" />
        ) : list.error.value !== undefined ? (
          <Failed error={list.error.value} retry={list.reload} />
        ) : rows?.length === 0 ? (
          <Empty icon="keys" title="No keys in the store" />
        ) : (
          <Table label="API keys" rows={rows} keyOf={(row) => row.id} columns={columnsOf(accountOf, list.reload)} />
        )}
        <More list={list} />
      </section>
    </>
  )
}

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
