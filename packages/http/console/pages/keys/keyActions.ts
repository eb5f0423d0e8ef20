import type { Account, ApiKey } from "@petstore/core"
import { call } from "../../api/request.ts"
import { session } from "../../api/session.ts"
import { act } from "../../ui/act.ts"
import { openForm, showSecret } from "../../ui/form.ts"
import { confirm } from "../../ui/Questions.tsx"

const presets = [
  ["read", "reads everything but keys"],
  ["write", "reads and changes everything but keys"],
  ["warehouse", "stock, and completes orders"],
  ["storefront", "shows pets, places orders"],
  ["customer", "only their own orders"],
  ["admin", "everything, keys included"],
  ["", "the scopes below"]
] as const

export const createKey = (accounts: ReadonlyArray<Account>, done: () => void): void =>
  openForm({
    title: "Create a key",
    fields: [
      { name: "name", label: "Name", placeholder: "who or what uses it", required: true },
      { name: "accountId", label: "Account", options: accounts.map(({ id, name }) => [String(id), name] as const) },
      {
        name: "preset",
        label: "May",
        options: presets.map(([name, text]) => [name, name === "" ? text : `${name}: ${text}`] as const)
      },
      { name: "scopes", label: "Scopes, one in a line, instead of a preset", placeholder: "pets:read", lines: true },
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
    submit: async ({ accountId, days = "", name = "", preset = "", scopes = "" }) => {
      const end = days === "" ? undefined : new Date(Date.now() + Number(days) * 86_400_000).toISOString()
      const may = preset === "" ? { scopes: scopes.split(/[\s,]+/).filter((scope) => scope !== "") } : { preset }
      const body = { accountId: Number(accountId), name: name.trim(), ...may, ...(end && { expiresAt: end }) }
      const { data } = await call<{ key: string }>("POST", "/api-keys", { body })
      done()
      showSecret("The key", data.key)
    }
  })

export const createAccount = (done: () => void): void =>
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

export const isMine = ({ id }: ApiKey): boolean => session.value?.keyId === id

export const rotateKey = async (key: ApiKey, done: () => void): Promise<void> => {
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

export const revokeKey = async (key: ApiKey, done: () => void): Promise<void> => {
  const yes = await confirm({
    title: `Revoke ${key.name}?`,
    text: isMine(key)
      ? "This is the key that you use: you are signed out at once. It cannot be undone."
      : "Requests with it are rejected at once. It cannot be undone.",
    yes: "Revoke the key",
    danger: true
  })
  if (!yes) return
  const action = () => call("DELETE", `/api-keys/${key.id}`, { idempotent: true })
  await act(`Key ${key.name} is revoked`, action, { always: done })
}
