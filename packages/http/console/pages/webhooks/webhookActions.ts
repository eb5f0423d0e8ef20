import type { Webhook } from "@petstore/core"
import { messageOf } from "../../api/ApiError.ts"
import { call } from "../../api/request.ts"
import type { One } from "../../lists/useOne.ts"
import { go, linkTo } from "../../router.ts"
import { act } from "../../ui/act.ts"
import { type Field, openForm, showSecret, type Values } from "../../ui/form.ts"
import { confirm } from "../../ui/Questions.tsx"
import { toast } from "../../ui/toast.ts"

export const failures: Readonly<Record<string, string>> = {
  status: "responded with an error",
  gone: "responded with 410: it wants no more events",
  redirect: "responded with a redirect, which is not followed",
  timeout: "no complete response in 20 s",
  connection: "no connection",
  address: "the address is not allowed",
  response_too_large: "the response was too large",
  invalid_response: "the response was not HTTP",
  no_sender: "this server sends no webhooks",
  event_gone: "the event was removed before it was delivered",
  attempt_lost: "the process of the attempt stopped"
}

const order: Field = {
  name: "ordered",
  label: "Order",
  options: [
    ["false", "any"],
    ["true", "one after the other for each resource"]
  ]
}

const fieldsOf = (webhook?: Webhook): ReadonlyArray<Field> => [
  { name: "url", label: "URL", value: webhook?.url, placeholder: "https://example.com/petstore", required: true },
  {
    name: "types",
    label: "Types of events, one in a line; none for all but those of keys",
    value: webhook?.types?.join("\n"),
    lines: true
  },
  { name: "description", label: "Description", value: webhook?.description },
  { name: "concurrency", label: "Requests at a time", value: String(webhook?.concurrency ?? 10), required: true }
]

/** What the fields say. What is empty is left out of a new webhook, and removed from one that is changed. */
const bodyOf = ({ concurrency, description = "", types = "", url }: Values, empty?: null) => {
  const chosen = types.split(/[\s,]+/).filter((type) => type !== "")
  const optional = { types: chosen.length === 0 ? empty : chosen, description: description.trim() || empty }
  return { url, concurrency: Number(concurrency), ...optional }
}

export const createWebhook = (): void =>
  openForm({
    title: "Create a webhook",
    fields: [...fieldsOf(), order],
    yes: "Create the webhook",
    done: "The webhook is created",
    submit: async (values) => {
      const body = { ...bodyOf(values), ordered: values.ordered === "true" }
      const { data } = await call<Webhook & { secret: string }>("POST", "/webhooks", { body })
      go(linkTo("webhooks", data.id))
      showSecret("The secret that signs its requests", data.secret)
    }
  })

export const editWebhook = ({ etag, reload, value }: One<Webhook>): void =>
  openForm({
    title: `Change webhook ${value?.id}`,
    fields: fieldsOf(value),
    yes: "Save the webhook",
    done: "The webhook is saved",
    submit: async (values) => {
      const body = bodyOf(values, null)
      const { url, ...others } = body
      // A URL that stays may be one that nobody may set any more.
      const changed = url === value?.url ? others : body
      await call("PATCH", `/webhooks/${value?.id}`, { body: changed, ifMatch: etag, idempotent: true })
      reload()
    }
  })

export const enableWebhook = (
  id: number,
  enabled: boolean,
  etag: string | undefined,
  reload: () => void
): Promise<boolean> => {
  let after: string | undefined
  return act(
    `Webhook ${id} is ${enabled ? "enabled" : "disabled"}`,
    async () => {
      const changed = await call("PATCH", `/webhooks/${id}`, { body: { enabled }, ifMatch: etag, idempotent: true })
      after = changed.etag
    },
    { undo: () => void enableWebhook(id, !enabled, after, reload), always: reload }
  )
}

export const rotateSecret = async (id: number): Promise<void> => {
  const yes = await confirm({
    title: `Rotate the secret of webhook ${id}?`,
    text: "Its requests have a new signature at once, and that of the old secret for 24 hours more.",
    yes: "Rotate the secret"
  })
  if (!yes) return
  await act(`Webhook ${id} has a new secret`, async () => {
    const { data } = await call<{ secret: string }>("POST", `/webhooks/${id}/rotate-secret`, { body: {} })
    showSecret("The new secret that signs its requests", data.secret)
  })
}

export const testWebhook = async (id: number): Promise<void> => {
  try {
    const { data } = await call<{ delivered: boolean; responseStatus?: number; failure?: string }>(
      "POST",
      `/webhooks/${id}/test`
    )
    const status = data.responseStatus === undefined ? "" : ` (${data.responseStatus})`
    const text = data.delivered ? "The test arrived" : `The test did not arrive: ${failures[data.failure ?? ""]}`
    toast(text + status, { tone: data.delivered ? "ok" : "bad" })
  } catch (error) {
    toast(messageOf(error), { tone: "bad" })
  }
}

export const deleteWebhook = async (id: number, etag: string | undefined): Promise<void> => {
  const yes = await confirm({
    title: `Delete webhook ${id}?`,
    text: "What waits for it is never sent, and its secret is lost. This cannot be undone. To pause it, disable it.",
    yes: "Delete the webhook",
    danger: true
  })
  if (!yes) return
  const action = () => call("DELETE", `/webhooks/${id}`, { ifMatch: etag, idempotent: true })
  if (await act(`Webhook ${id} is deleted`, action)) go(linkTo("webhooks"))
}
