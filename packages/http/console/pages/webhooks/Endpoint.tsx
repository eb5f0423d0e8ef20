import type { Webhook } from "@petstore/core"
import { whyNot } from "../../api/scopes.ts"
import { type One, useOne } from "../../lists/useOne.ts"
import { figuresOf } from "../../live/stats.ts"
import { useEventsOf } from "../../live/useEventsOf.ts"
import { linkTo } from "../../router.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Failed } from "../../ui/states.tsx"
import { Time } from "../../ui/Time.tsx"
import { capped, duration } from "../../ui/text.ts"
import { HistoryList, useHistoryOf } from "../HistorySection.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { deleteWebhook, editWebhook, enableWebhook, rotateSecret, testWebhook } from "./webhookActions.ts"

/** A URL as people may see it: what follows the path may be a token. */
export const shownUrl = (url: string): string =>
  url
    .replace(/^https?:\/\//, "")
    .replace(/\/\/[^/@]*@/, "//")
    .replace(/[?#].*$/, "?…")

const EndpointHead = ({ value, webhook }: { value: Webhook; webhook: One<Webhook> }) => {
  const { disabledReason, enabled, id, url } = value
  const blocked = whyNot("webhooks:write")
  const { etag, reload } = webhook
  return (
    <header class="page-head">
      <a class="button quiet" href={linkTo("webhooks")} aria-label="All webhooks">
        <Icon name="back" />
      </a>
      <h1 class="clip">{shownUrl(url)}</h1>
      {enabled ? <Badge tone="ok">enabled</Badge> : <Badge tone="bad">disabled: {disabledReason ?? "requested"}</Badge>}
      <div class="page-actions">
        <Button blocked={blocked} onClick={() => testWebhook(id)}>
          Send a test
        </Button>
        <Button blocked={blocked} onClick={() => editWebhook(webhook)}>
          Change
        </Button>
        <Button blocked={blocked} onClick={() => enableWebhook(id, !enabled, etag, reload)}>
          {enabled ? "Disable" : "Enable"}
        </Button>
        <Button blocked={blocked} onClick={() => rotateSecret(id)}>
          Rotate secret
        </Button>
        <Button kind="danger" blocked={blocked} onClick={() => deleteWebhook(id, etag)}>
          Delete
        </Button>
      </div>
    </header>
  )
}

const Types = ({ types }: { types: ReadonlyArray<string> | undefined }) =>
  types === undefined ? (
    <>all types</>
  ) : (
    <span class="chips">
      {types.map((type) => (
        <code key={type}>{type}</code>
      ))}
    </span>
  )

const EndpointFacts = ({ of: { concurrency, createdAt, id, ordered, types } }: { of: Webhook }) => {
  const figures = figuresOf(id)
  const waiting =
    figures &&
    (figures.pending === 0
      ? "none"
      : `${capped(figures.pending, 1000)}, the oldest for ${duration(figures.oldestPending)}`)
  return (
    <Facts
      two
      of={[
        ["Events", <Types types={types} />],
        ["Order", ordered ? "one after the other for each subject" : "any"],
        ["At a time", concurrency],
        ["Waiting", waiting],
        ["Failed", figures && (figures.failed === 0 ? "none" : capped(figures.failed, 1000))],
        ["Created", <Time at={createdAt} />]
      ]}
    />
  )
}

export const Endpoint = ({ id }: { id: string }) => {
  const webhook = useOne<Webhook>(`/webhooks/${id}`)
  const history = useHistoryOf(`webhooks/${id}`, "events:webhooks")
  useEventsOf([`webhooks/${id}`], webhook.reload)
  const { error, reload, value } = webhook
  if (error !== undefined) return <Failed error={error} retry={reload} />
  if (value === undefined) {
    return (
      <div class="skeletons">
        <div class="skeleton" />
        <div class="skeleton" />
      </div>
    )
  }
  return (
    <>
      <EndpointHead value={value} webhook={webhook} />
      <section class="card">
        <EndpointFacts of={value} />
      </section>
      <Deliveries webhookId={value.id} />
      {history !== undefined && (
        <section class="card">
          <header>
            <h2>History</h2>
          </header>
          <HistoryList of={history} />
        </section>
      )}
    </>
  )
}
