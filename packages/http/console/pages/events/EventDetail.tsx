import { type One, useOne } from "../../lists/useOne.ts"
import type { StoredEvent } from "../../live/event.ts"
import { recent } from "../../live/stream.ts"
import { here, linkTo, linkToSubject, openLabel } from "../../router.ts"
import { Drawer } from "../../ui/Drawer.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Json } from "../../ui/Json.tsx"
import { Section } from "../../ui/Section.tsx"
import { Empty, Failed } from "../../ui/states.tsx"
import { Time } from "../../ui/Time.tsx"
import { number } from "../../ui/text.ts"

const NoEvent = ({ asked: { error, reload, value } }: { asked: One<ReadonlyArray<StoredEvent>> }) =>
  error !== undefined ? (
    <Failed error={error} retry={reload} />
  ) : value !== undefined ? (
    <Empty icon="events" title="This event is no longer kept" />
  ) : (
    <div class="skeletons">
      <div class="skeleton" />
    </div>
  )

export const EventDetail = ({ seq }: { seq: string }) => {
  const known = recent.value.find((event) => String(event.seq) === seq)
  const question = { after: Number(seq) - 1, limit: 1 }
  const asked = useOne<ReadonlyArray<StoredEvent>>(known === undefined ? "/events" : undefined, question)
  const event = known ?? asked.value?.find((one) => String(one.seq) === seq)
  const close = here({}, null)
  if (event === undefined) {
    return (
      <Drawer kicker="Event" title={`#${seq}`} close={close}>
        <NoEvent asked={asked} />
      </Drawer>
    )
  }
  const link = linkToSubject(event.subject)
  const open = link !== undefined && (
    <a class="button primary" href={link}>
      {openLabel(event.subject)}
    </a>
  )
  return (
    <Drawer kicker={`Event ${number(event.seq)}`} title={event.type} close={close} actions={open}>
      <Facts
        of={[
          ["When", <Time at={event.timestamp} />],
          ["Subject", <a href={linkTo("events", undefined, { subject: event.subject })}>{event.subject}</a>],
          ["Id", <code>{event.id}</code>],
          ["Version", event.data.version]
        ]}
      />
      <Section title="Data">
        <Json value={event.data} />
      </Section>
      <p class="neighbours">
        <a href={here({}, event.seq - 1)}>← {number(event.seq - 1)}</a>
        <a href={here({}, event.seq + 1)}>{number(event.seq + 1)} →</a>
      </p>
    </Drawer>
  )
}
