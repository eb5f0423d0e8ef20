import type { ServerStats } from "../../../src/api/Server.ts"
import { linkTo } from "../../router.ts"
import type { Tone } from "../../ui/Badge.tsx"
import { capped, duration, number } from "../../ui/text.ts"

interface Concern {
  /** The alert of docs/monitoring/alerts.yml that says the same, whose row in docs/runbook.md tells what to do. */
  readonly alert: string
  readonly tone: Tone
  readonly title: string
  readonly text: string
  readonly href: string
}

const ofWebhook = ({
  enabled,
  failed,
  id,
  oldestPending,
  pending
}: ServerStats["webhooks"]["endpoints"][number]): ReadonlyArray<Concern> => {
  const waiting = capped(pending, 1000)
  if (!enabled) {
    return [
      {
        alert: "PetstoreWebhookDisabled",
        tone: "bad",
        title: `Webhook ${id} is disabled`,
        text: `${waiting} deliveries wait`,
        href: linkTo("webhooks", id)
      }
    ]
  }
  const link = (status: string): string => linkTo("webhooks", id, { status })
  if (failed > 0) {
    const text = `${capped(failed, 1000)} were given up`
    const title = `Webhook ${id} has failed deliveries`
    return [{ alert: "PetstoreWebhookDeliveriesFailed", tone: "bad", title, text, href: link("failed") }]
  }
  if (oldestPending <= 60) return []
  const text = `${waiting} wait, the oldest for ${duration(oldestPending)}`
  const title = `Webhook ${id} is behind`
  return [{ alert: "PetstoreWebhookNotDelivered", tone: "wait", title, text, href: link("pending") }]
}

const ofMessages = ({ failed, oldestQueued }: ServerStats["messages"]): ReadonlyArray<Concern> => {
  const found: Array<Concern> = []
  const alert = "PetstoreMessagesNotDelivered"
  const link = (status: string): string => linkTo("messages", undefined, { status })
  if (failed > 0) {
    const title = `${capped(failed, 10_000)} messages failed`
    found.push({ alert, tone: "bad", title, text: "and are not tried again by themselves", href: link("failed") })
  }
  if (oldestQueued > 300) {
    const text = `the oldest for ${duration(oldestQueued)}`
    found.push({ alert, tone: "wait", title: "Messages wait long", text, href: link("queued") })
  }
  return found
}

const ofConsumer = ({ age, lag, name }: ServerStats["consumers"][number]): ReadonlyArray<Concern> =>
  age <= 60
    ? []
    : [
        {
          alert: "PetstoreConsumerStuck",
          tone: lag > 1000 ? "bad" : "wait",
          title: `Consumer ${name} is behind`,
          text: `${number(lag)} events, ${duration(age)}`,
          href: linkTo("consumers")
        }
      ]

/** What an operator has to look at */
export const concernsOf = ({
  consumers,
  messages,
  reservations,
  transactions,
  verification,
  webhooks
}: ServerStats): ReadonlyArray<Concern> => {
  const violations = verification?.violations ?? 0
  const violated: Concern = {
    alert: "PetstoreViolationsFound",
    tone: "bad",
    title: `The last verification found ${number(violations)} violations`,
    text: "of what must hold in the store",
    href: linkTo("health")
  }
  const failed: Concern = {
    alert: "PetstoreStoreFails",
    tone: "bad",
    title: `${number(transactions.failed)} transactions failed`,
    text: "because of the store, since the server started",
    href: linkTo("health")
  }
  const overdue: Concern = {
    alert: "PetstoreReservationsOverdue",
    tone: "wait",
    title: `${capped(reservations.overdue, 10_000)} reservations overdue`,
    text: `the first for ${duration(reservations.oldestOverdue)}`,
    href: linkTo("orders", undefined, { state: "open" })
  }
  return [
    ...(violations > 0 ? [violated] : []),
    ...(transactions.failed > 0 ? [failed] : []),
    ...webhooks.endpoints.flatMap(ofWebhook),
    ...ofMessages(messages),
    ...consumers.flatMap(ofConsumer),
    ...(reservations.overdue > 0 ? [overdue] : [])
  ]
}
