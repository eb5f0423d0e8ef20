import type { MessageWithDelivery } from "@petstore/core"
import { call } from "../../api/request.ts"
import { whyNot } from "../../api/scopes.ts"
import { useOne } from "../../lists/useOne.ts"
import { useEventsOf } from "../../live/useEventsOf.ts"
import { go, here } from "../../router.ts"
import { act } from "../../ui/act.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Copy } from "../../ui/Copy.tsx"
import { Drawer } from "../../ui/Drawer.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { confirm } from "../../ui/Questions.tsx"
import { Section } from "../../ui/Section.tsx"
import { Failed } from "../../ui/states.tsx"
import { Time } from "../../ui/Time.tsx"
import { messageState, messageTone } from "./message.ts"

export const MessageDetail = ({ id, reloadList }: { id: string; reloadList: () => void }) => {
  const message = useOne<MessageWithDelivery>(`/messages/${id}`)
  useEventsOf([`messages/${id}`], message.reload)
  const { error, reload, value } = message
  const requeue = (): Promise<boolean> =>
    act("It is tried again at once", () => call("POST", `/messages/${id}/requeue`), {
      always: () => {
        reload()
        reloadList()
      }
    })
  const remove = async (): Promise<void> => {
    const yes = await confirm({
      title: "Delete this message?",
      text: "It is not delivered any more, and its text is lost. This cannot be undone.",
      yes: "Delete the message",
      danger: true
    })
    if (!yes) return
    const action = () => call("DELETE", `/messages/${id}`, { idempotent: true })
    if (await act("The message is deleted", action, { always: reloadList })) go(here({}, null))
  }
  const blocked = whyNot("messages:write")
  const buttons = value !== undefined && (
    <>
      {value.status !== "delivered" && (
        <Button kind="primary" blocked={blocked} onClick={requeue}>
          {value.status === "failed" ? "Put it into the queue again" : "Try now"}
        </Button>
      )}
      <Button kind="danger" blocked={blocked} onClick={remove}>
        Delete
      </Button>
    </>
  )
  return (
    <Drawer kicker="Message" title={<span class="mono">{id}</span>} close={here({}, null)} actions={buttons}>
      {error !== undefined ? (
        <Failed error={error} retry={reload} />
      ) : (
        value !== undefined && (
          <>
            <Facts
              of={[
                ["State", <Badge tone={messageTone(value)}>{messageState(value)}</Badge>],
                ["Attempts", value.attempts ?? 0],
                ["Next attempt", value.nextAttemptAt === undefined ? undefined : <Time at={value.nextAttemptAt} />],
                ["Last error", value.lastError],
                ["Queued", <Time at={value.createdAt} />],
                ["Delivered", value.deliveredAt === undefined ? undefined : <Time at={value.deliveredAt} />],
                ["Failed", value.failedAt === undefined ? undefined : <Time at={value.failedAt} />]
              ]}
            />
            <Section title="Text">
              <div class="json">
                <Copy text={value.message} />
                <pre>{value.message}</pre>
              </div>
            </Section>
          </>
        )
      )}
    </Drawer>
  )
}
