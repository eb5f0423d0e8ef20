import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { ServerStats } from "../../../src/api/Server.ts"
import { get } from "../../api/request.ts"
import { mayRead } from "../../api/scopes.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { rates } from "../../live/stats.ts"
import { linkTo } from "../../router.ts"
import type { Tone } from "../../ui/Badge.tsx"
import { Icon, type IconName } from "../../ui/Icon.tsx"
import { capped, duration, number, perSecond, totalText } from "../../ui/text.ts"

const Tile = ({
  children,
  href,
  icon,
  name,
  note,
  tone,
  value
}: {
  name: string
  icon: IconName
  value: ComponentChildren
  note: ComponentChildren
  href: string
  tone?: Tone | undefined
  children?: ComponentChildren
}) => (
  <a class={`card tile ${tone ?? ""}`} href={href}>
    <span class="tile-name">
      <Icon name={icon} size={16} />
      {name}
    </span>
    <span class="tile-value">
      <strong>{value}</strong>
      {children}
    </span>
    <span class="tile-note">{note}</span>
  </a>
)

/** The course of a number as a line, for those who see it; the number is beside it. */
const Spark = ({ tone = "accent", values }: { values: ReadonlyArray<number>; tone?: string }) => {
  if (values.length < 2) return <svg class="spark" aria-hidden="true" />
  const top = Math.max(...values, 1e-9)
  const points = values.map((value, at) => [(at / (values.length - 1)) * 100, 30 - (value / top) * 26] as const)
  const line = points.map(([x, y], at) => `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("")
  return (
    <svg class={`spark ${tone}`} viewBox="0 0 100 32" preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`${line}L100 32L0 32Z`} />
      <path class="line" d={line} />
    </svg>
  )
}

/** How many orders are open: asked for once, and again five seconds after events of orders. */
const useOpenOrders = () => {
  const open = useSignal<string | undefined>(undefined)
  const ask = (): void => {
    if (!mayRead("orders:read")) return
    get("/store/orders", { state: "open", count: true, limit: 1 }).then(
      ({ total }) => {
        open.value = total === undefined ? undefined : totalText(total)
      },
      () => {}
    )
  }
  useEffect(ask, [])
  useReloadSoon({ reload: ask }, 5000, (events) => events.some(({ type }) => type.startsWith("order.")))
  return open.value
}

const dash = <span class="muted">–</span>

const Rate = ({ of }: { of: number | undefined }) =>
  of === undefined ? (
    dash
  ) : (
    <>
      {perSecond(of)}
      <small>/s</small>
    </>
  )

const RateTiles = ({ now }: { now: ServerStats | undefined }) => {
  const history = rates.value
  const last = history.at(-1)
  const note =
    last === undefined
      ? " "
      : last.rejected > 0
        ? `${perSecond(last.rejected)}/s rejected`
        : `${perSecond(last.commits)} commits/s`
  return (
    <>
      <Tile
        name="Events"
        icon="events"
        href={linkTo("events")}
        value={<Rate of={last?.events} />}
        note={now === undefined ? " " : `${number(now.events.latest)} in all`}
      >
        <Spark values={history.map(({ events }) => events)} />
      </Tile>
      <Tile name="Transactions" icon="health" href={linkTo("health")} value={<Rate of={last?.committed} />} note={note}>
        <Spark values={history.map(({ committed }) => committed)} />
      </Tile>
    </>
  )
}

const OrdersTile = ({ overdue }: { overdue: number }) => (
  <Tile
    name="Open orders"
    icon="orders"
    href={linkTo("orders", undefined, { state: "open" })}
    value={useOpenOrders() ?? dash}
    note={overdue === 0 ? "hold their units" : `${overdue} overdue`}
  />
)

const MessagesTile = ({ messages }: { messages: ServerStats["messages"] | undefined }) => {
  const { failed = 0, oldestQueued = 0, queued = 0 } = messages ?? {}
  const note =
    failed > 0 ? `${capped(failed, 10_000)} failed` : queued > 0 ? `oldest ${duration(oldestQueued)}` : "none waiting"
  return (
    <Tile
      name="Messages"
      icon="messages"
      href={linkTo("messages")}
      tone={failed > 0 ? "bad" : undefined}
      value={messages === undefined ? dash : capped(queued, 10_000)}
      note={messages === undefined ? " " : note}
    />
  )
}

const DeliveriesTile = ({ endpoints }: { endpoints: ServerStats["webhooks"]["endpoints"] | undefined }) => {
  const all = endpoints ?? []
  const pending = all.reduce((sum, one) => sum + one.pending, 0)
  const failed = all.reduce((sum, one) => sum + one.failed, 0)
  const more = all.some((one) => one.pending >= 1000) ? "+" : ""
  const note =
    failed > 0
      ? `${number(failed)} failed for good`
      : pending > 0
        ? `waiting, ${duration(Math.max(...all.map((one) => one.oldestPending)))}`
        : "none waiting"
  return (
    <Tile
      name="Deliveries"
      icon="webhooks"
      href={linkTo("webhooks")}
      tone={failed > 0 ? "bad" : undefined}
      value={endpoints === undefined ? dash : number(pending) + more}
      note={endpoints === undefined ? " " : note}
    />
  )
}

const ConsumersTile = ({ consumers }: { consumers: ServerStats["consumers"] | undefined }) => {
  const behind = Math.max(0, ...(consumers?.map(({ lag }) => lag) ?? []))
  return (
    <Tile
      name="Consumers"
      icon="consumers"
      href={linkTo("consumers")}
      tone={behind > 1000 ? "bad" : undefined}
      value={consumers?.length ?? dash}
      note={consumers === undefined ? " " : behind === 0 ? "all up to date" : `${number(behind)} behind`}
    />
  )
}

/** The figures of the petstore, each with a link to its page. */
export const Tiles = ({ now }: { now: ServerStats | undefined }) => (
  <div class="tiles">
    <RateTiles now={now} />
    <OrdersTile overdue={now?.reservations.overdue ?? 0} />
    <MessagesTile messages={now?.messages} />
    <DeliveriesTile endpoints={now?.webhooks.endpoints} />
    <ConsumersTile consumers={now?.consumers} />
  </div>
)
