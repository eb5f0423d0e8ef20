import { useSignal } from "@preact/signals"
import { call, isAdmin, session, whyNot } from "../api.ts"
import { useList } from "../list.ts"
import { act, Badge, Button, Copy, confirm, Dialog, Empty, Failed, NoScope, Table, Time } from "../ui.tsx"

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

const Create = ({
  accounts,
  close,
  done
}: {
  accounts: ReadonlyArray<Account>
  close: () => void
  done: () => void
}) => {
  const name = useSignal("")
  const preset = useSignal<string>("read")
  const account = useSignal(accounts[0]?.id ?? 0)
  const days = useSignal("90")
  const made = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  if (made.value !== undefined) {
    return (
      <Dialog title="The key is shown only now" onClose={close}>
        <p>Nobody can show it again: only its hash is stored. If it is lost, rotate it.</p>
        <div class="secret">
          <code>{made.value}</code>
          <Copy text={made.value} />
        </div>
        <div class="dialog-actions">
          <Button kind="primary" onClick={close}>
            I have stored it
          </Button>
        </div>
      </Dialog>
    )
  }
  const create = async (): Promise<void> => {
    if (busy.peek()) return
    busy.value = true
    await act(`Key ${name.value} is created`, async () => {
      const { data } = await call<{ key: string }>("POST", "/api-keys", {
        body: {
          accountId: account.value,
          name: name.value.trim(),
          preset: preset.value,
          ...(days.value === ""
            ? {}
            : { expiresAt: new Date(Date.now() + Number(days.value) * 86_400_000).toISOString() })
        }
      })
      made.value = data.key
      done()
    })
    busy.value = false
  }
  return (
    <Dialog title="Create a key" onClose={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <label>
          <span>Name</span>
          <input
            required
            maxLength={100}
            placeholder="who or what uses it"
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <label>
          <span>Account</span>
          <select value={account.value} onChange={(event) => (account.value = Number(event.currentTarget.value))}>
            {accounts.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>May</span>
          <select value={preset.value} onChange={(event) => (preset.value = event.currentTarget.value)}>
            {presets.map(([value, text]) => (
              <option key={value} value={value}>
                {value}: {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Expires</span>
          <select value={days.value} onChange={(event) => (days.value = event.currentTarget.value)}>
            <option value="1">in a day</option>
            <option value="30">in 30 days</option>
            <option value="90">in 90 days</option>
            <option value="">never</option>
          </select>
        </label>
        <div class="dialog-actions">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" busy={busy.value}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export const Keys = () => {
  const list = useList<ApiKey>(isAdmin.value ? "/api-keys" : undefined)
  const accounts = useList<Account>(isAdmin.value ? "/accounts" : undefined, { limit: 100 })
  const creating = useSignal(false)
  if (!isAdmin.value)
    return (
      <>
        <header class="page-head">
          <h1>Keys</h1>
        </header>
        <NoScope scope="admin" />
      </>
    )
  const rows = list.rows.value
  const accountName = (id: number): string => accounts.rows.value?.find((one) => one.id === id)?.name ?? `account ${id}`
  const revoke = async (key: ApiKey): Promise<void> => {
    const mine = session.value?.actor === `key:${key.id}`
    const yes = await confirm({
      title: `Revoke ${key.name}?`,
      text: mine
        ? "This is the key that you use now: you are signed out at once. It cannot be undone."
        : "Whoever uses it is rejected at once. It cannot be undone.",
      yes: "Revoke the key",
      danger: true
    })
    if (yes)
      await act(`Key ${key.name} is revoked`, () => call("DELETE", `/api-keys/${key.id}`, { idempotent: true }), {
        always: list.reload
      })
  }
  return (
    <>
      <header class="page-head">
        <h1>Keys</h1>
        <div class="page-actions">
          <Button kind="primary" blocked={whyNot("admin")} onClick={() => (creating.value = true)}>
            Create a key
          </Button>
        </div>
      </header>
      <section class="card table-card">
        {list.error.value !== undefined ? (
          <Failed error={list.error.value} retry={list.reload} />
        ) : rows?.length === 0 ? (
          <Empty icon="keys" title="No keys in the store" />
        ) : (
          <Table
            label="API keys"
            rows={rows}
            keyOf={(row) => row.id}
            columns={[
              {
                name: "Name",
                cell: (row) => (
                  <>
                    <b>{row.name}</b>
                    {session.value?.actor === `key:${row.id}` && (
                      <>
                        {" "}
                        <Badge tone="info">you</Badge>
                      </>
                    )}
                    <small class="muted block">{accountName(row.accountId)}</small>
                  </>
                )
              },
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
              {
                name: "Last use",
                end: true,
                cell: (row) =>
                  row.lastUsedAt === undefined ? <span class="muted">never</span> : <Time at={row.lastUsedAt} />
              },
              {
                name: "Expires",
                end: true,
                wide: true,
                cell: (row) =>
                  row.expiresAt === undefined ? <span class="muted">never</span> : <Time at={row.expiresAt} />
              },
              {
                name: "Actions",
                end: true,
                cell: (row) => (
                  <Button
                    kind="danger"
                    label={`Revoke ${row.name}`}
                    blocked={whyNot("admin")}
                    onClick={() => revoke(row)}
                  >
                    Revoke
                  </Button>
                )
              }
            ]}
          />
        )}
      </section>
      {creating.value && accounts.rows.value !== undefined && (
        <Create accounts={accounts.rows.value} done={list.reload} close={() => (creating.value = false)} />
      )}
    </>
  )
}
