import type { Webhook, WebhookEndpointStats } from "@petstore/core"
import { useEffect } from "preact/hooks"
import { mayRead, whyNot } from "../../api/scopes.ts"
import { useList } from "../../lists/useList.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { figuresOf, wantFigures } from "../../live/stats.ts"
import { linkTo, route } from "../../router.ts"
import { Badge, type Tone } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { More } from "../../ui/ListCard.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Empty, Failed, NoScopePage } from "../../ui/states.tsx"
import { capped, duration } from "../../ui/text.ts"
import { Deliveries } from "./Deliveries.tsx"
import { Endpoint, shownUrl } from "./Endpoint.tsx"
import { createWebhook } from "./webhookActions.ts"

type Health = "disabled" | "enabled" | "failing" | "behind" | "healthy"

const tones: Readonly<Record<Health, Tone>> = {
  disabled: "bad",
  enabled: "idle",
  failing: "bad",
  behind: "wait",
  healthy: "ok"
}

/** Without figures, it is known only whether the endpoint is enabled. */
const healthOf = ({ enabled, id }: Webhook): Health => {
  const figures = figuresOf(id)
  if (!enabled) return "disabled"
  if (figures === undefined) return "enabled"
  return figures.failed > 0 ? "failing" : figures.oldestPending > 60 ? "behind" : "healthy"
}

const Figures = ({ of }: { of: WebhookEndpointStats | undefined }) => (
  <span class="endpoint-figures">
    <span>
      <strong>{of === undefined ? "–" : capped(of.pending, 1000)}</strong> waiting
    </span>
    <span class={of !== undefined && of.failed > 0 ? "bad" : ""}>
      <strong>{of === undefined ? "–" : capped(of.failed, 1000)}</strong> failed
    </span>
    <span>
      <strong>{of === undefined || of.pending === 0 ? "–" : duration(of.oldestPending)}</strong> oldest
    </span>
  </span>
)

const EndpointCard = ({ of }: { of: Webhook }) => {
  const health = healthOf(of)
  return (
    <a class="card endpoint" href={linkTo("webhooks", of.id)}>
      <span class="endpoint-head">
        <b class="clip">{shownUrl(of.url)}</b>
        <Badge tone={tones[health]}>{health === "disabled" ? `disabled: ${of.disabledReason ?? ""}` : health}</Badge>
      </span>
      <span class="muted small clip">{of.types?.join(", ") ?? "all types of events"}</span>
      <Figures of={figuresOf(of.id)} />
    </a>
  )
}

const Endpoints = () => {
  const list = useList<Webhook>("/webhooks")
  useEffect(wantFigures, [])
  useReloadSoon(list, 500, (events) => events.some(({ type }) => type.startsWith("webhook.")))
  const rows = list.rows.value
  const create = (
    <Button kind="primary" blocked={whyNot("webhooks:write")} onClick={createWebhook}>
      Create a webhook
    </Button>
  )
  return (
    <>
      <PageHead title="Webhooks" actions={create} />
      {list.error.value !== undefined ? (
        <Failed error={list.error.value} retry={list.reload} />
      ) : rows?.length === 0 ? (
        <section class="card">
          <Empty icon="webhooks" title="No webhooks yet">
            An endpoint receives the events of the petstore as signed HTTP requests.
          </Empty>
        </section>
      ) : (
        <>
          <div class="endpoints">
            {rows?.map((row) => (
              <EndpointCard key={row.id} of={row} />
            ))}
          </div>
          <More list={list} />
          <Deliveries />
        </>
      )}
    </>
  )
}

export const Webhooks = () => {
  const { id } = route.value
  if (!mayRead("webhooks:read")) return <NoScopePage title="Webhooks" scope="webhooks:read" />
  return id === undefined ? <Endpoints /> : <Endpoint key={id} id={id} />
}
