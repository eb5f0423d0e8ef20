import type { Delivery, DeliveryWithAttempts } from "@petstore/core"
import { call } from "../../api/request.ts"
import { mayRead, whyNot } from "../../api/scopes.ts"
import { useOne } from "../../lists/useOne.ts"
import type { StoredEvent } from "../../live/event.ts"
import { here, linkTo, linkToSubject, openLabel } from "../../router.ts"
import { act } from "../../ui/act.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Drawer } from "../../ui/Drawer.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Json } from "../../ui/Json.tsx"
import { Section } from "../../ui/Section.tsx"
import { Failed } from "../../ui/states.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { duration, number } from "../../ui/text.ts"
import { deliveryState, deliveryTone } from "./delivery.ts"
import { failures } from "./webhookActions.ts"

/** When attempts follow each other, in seconds: see docs/webhooks.md, Attempts. */
const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

const Attempts = ({ delivery }: { delivery: Delivery }) => (
  <ol class="attempts" aria-label={`${delivery.attempts} of 10 attempts were made`}>
    {Array.from({ length: 10 }, (_, at) => {
      const made = at < delivery.attempts
      const last = at === delivery.attempts - 1
      const tone = !made ? "" : last && delivery.status === "delivered" ? "ok" : "bad"
      const wait = schedule[at - 1]
      return (
        <li
          key={at}
          class={tone}
          title={at === 0 ? "at once" : `attempt ${at + 1}: ${duration(wait ?? 0)} after the one before`}
        />
      )
    })}
  </ol>
)

const DeliveryFacts = ({ of }: { of: Delivery }) => {
  const { failure, finishedAt, lastAttemptAt, message, nextAttemptAt, responseStatus, seq } = of
  return (
    <Facts
      of={[
        ["State", <Badge tone={deliveryTone(of)}>{deliveryState(of)}</Badge>],
        ["Attempts", <Attempts delivery={of} />],
        [
          "Response",
          responseStatus === undefined ? undefined : (
            <code class={responseStatus < 300 ? "ok" : "bad"}>{responseStatus}</code>
          )
        ],
        ["Why not", failure === undefined ? undefined : (failures[failure] ?? failure)],
        ["In detail", message],
        ["Last attempt", <Time at={lastAttemptAt} />],
        ["Next attempt", nextAttemptAt === undefined ? undefined : <Time at={nextAttemptAt} />],
        ["Finished", finishedAt === undefined ? undefined : <Time at={finishedAt} />],
        ["Event", <a href={linkTo("events", seq)}>#{seq}</a>]
      ]}
    />
  )
}

const Sent = ({ seq }: { seq: number }) => {
  const { error, reload, value } = useOne<ReadonlyArray<StoredEvent>>("/events", { after: seq - 1, limit: 1 })
  const event = value?.find((one) => one.seq === seq)
  return (
    <Section title="What is sent">
      {error !== undefined ? (
        <Failed error={error} retry={reload} />
      ) : event === undefined ? (
        <p class="muted">{value === undefined ? "Loading…" : "The event is no longer kept."}</p>
      ) : (
        <Json value={event} />
      )}
    </Section>
  )
}

const LatestAttempts = ({ of }: { of: DeliveryWithAttempts["latestAttempts"] }) => (
  <Section title="Latest attempts">
    <Table
      label="Latest attempts"
      rows={of}
      keyOf={({ at }) => at}
      columns={[
        { name: "Ended", cell: ({ at }) => <Time at={at} /> },
        { name: "Took", end: true, cell: ({ durationMs }) => `${number(durationMs)} ms` },
        {
          name: "Outcome",
          grow: true,
          cell: ({ delivered, message, responseStatus }) => (
            <>
              {responseStatus !== undefined && <code class={delivered ? "ok" : "bad"}>{responseStatus}</code>}{" "}
              {message ?? "Delivered"}
            </>
          )
        }
      ]}
    />
  </Section>
)

/** A delivery by its id, whichever page of a list it is on. */
export const DeliveryDetail = ({ id, reload }: { id: string; reload: () => void }) => {
  const one = useOne<DeliveryWithAttempts>(`/deliveries/${id}`)
  const delivery = one.value
  const link = delivery && linkToSubject(delivery.subject)
  const again = ({ webhookId }: Delivery): Promise<boolean> =>
    act(
      "It is sent again at once",
      () => call("POST", `/webhooks/${webhookId}/redeliver`, { body: { deliveryId: Number(id) } }),
      {
        always: () =>
          setTimeout(() => {
            one.reload()
            reload()
          }, 600)
      }
    )
  const buttons = delivery !== undefined && (
    <>
      <Button kind="primary" blocked={whyNot("webhooks:write")} onClick={() => again(delivery)}>
        {delivery.status === "pending" ? "Try now" : "Deliver again"}
      </Button>
      {link !== undefined && (
        <a class="button" href={link}>
          {openLabel(delivery.subject)}
        </a>
      )}
    </>
  )
  return (
    <Drawer
      kicker={`Delivery ${id}`}
      title={delivery?.type ?? ""}
      close={here({ delivery: undefined })}
      actions={buttons}
    >
      {one.error !== undefined && <Failed error={one.error} retry={one.reload} />}
      {delivery !== undefined && (
        <>
          <DeliveryFacts of={delivery} />
          {delivery.latestAttempts.length > 0 && <LatestAttempts of={delivery.latestAttempts} />}
          {mayRead("events:read") && <Sent seq={delivery.seq} />}
          <p class="muted small">Bodies of responses are not stored, only their status.</p>
        </>
      )}
    </Drawer>
  )
}
