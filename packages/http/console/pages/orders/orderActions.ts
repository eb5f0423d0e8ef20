import { call } from "../../api/request.ts"
import { act } from "../../ui/act.ts"
import { confirm } from "../../ui/Questions.tsx"

interface Shown {
  readonly id: string
  /** The entity tag of what is shown: a change made meanwhile is not overwritten. */
  readonly etag: string | undefined
  readonly reload: () => void
}

export const completeOrder = async ({ etag, id, reload }: Shown): Promise<void> => {
  const yes = await confirm({
    title: `Complete order ${id}?`,
    text: "Its units leave the stock. A complete order cannot be changed or cancelled.",
    yes: "Complete it"
  })
  if (!yes) return
  const action = () =>
    call("PATCH", `/store/orders/${id}`, { body: { complete: true }, ifMatch: etag, idempotent: true })
  await act(`Order ${id} is complete`, action, { always: reload })
}

export const cancelOrder = async ({ etag, id, reload }: Shown): Promise<void> => {
  const yes = await confirm({
    title: `Cancel order ${id}?`,
    text: "Its units are free for others at once. This cannot be undone: the customer has to order again.",
    yes: "Cancel the order",
    danger: true
  })
  if (!yes) return
  const action = () => call("DELETE", `/store/orders/${id}`, { ifMatch: etag, idempotent: true })
  await act(`Order ${id} is cancelled`, action, { always: reload })
}

const quarter = 15 * 60_000

export const holdLonger = ({ etag, expiresAt, id, reload }: Shown & { readonly expiresAt: string | undefined }) => {
  const left = Math.max(0, Date.parse(expiresAt ?? "") - Date.now()) || 0
  const query = { reserveFor: Math.round(left + quarter) }
  const action = () => call("PUT", `/store/orders/${id}/reservation`, { query, ifMatch: etag, idempotent: true })
  return act(`Order ${id} holds its units 15 minutes longer`, action, { always: reload })
}
