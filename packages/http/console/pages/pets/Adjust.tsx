import { useSignal } from "@preact/signals"
import { call } from "../../api/request.ts"
import { whyNot } from "../../api/scopes.ts"
import { act } from "../../ui/act.ts"
import { Button } from "../../ui/Button.tsx"
import { signed } from "./pet.ts"

const reasons = ["correction", "received", "returned", "damaged"]

/** Changes the stock. An undo is a change back, which the ledger shows as such. */
const adjust = (id: string, delta: number, reason: string, note: string, done: () => void): Promise<boolean> =>
  act(
    `Stock changed by ${signed(delta)}`,
    () =>
      call("POST", `/inventory/${id}/adjustments`, {
        body: { delta, reason, ...(note.trim() === "" ? {} : { note: note.trim() }) },
        idempotent: true
      }),
    { undo: () => void adjust(id, -delta, "correction", `undoes ${signed(delta)}`, done), always: done }
  )

export const Adjust = ({ done, id }: { id: string; done: () => void }) => {
  const delta = useSignal("")
  const reason = useSignal("correction")
  const note = useSignal("")
  const busy = useSignal(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const amount = Number(delta.value)
    if (!Number.isInteger(amount) || amount === 0 || busy.peek()) return
    busy.value = true
    if (await adjust(id, amount, reason.value, note.value, done)) {
      delta.value = ""
      note.value = ""
    }
    busy.value = false
  }
  return (
    <form class="adjust" onSubmit={submit}>
      <label>
        <span>Change by</span>
        <input
          type="number"
          step="1"
          required
          placeholder="+5 or -2"
          value={delta.value}
          onInput={(event) => (delta.value = event.currentTarget.value)}
        />
      </label>
      <label>
        <span>Reason</span>
        <select value={reason.value} onChange={(event) => (reason.value = event.currentTarget.value)}>
          {reasons.map((one) => (
            <option key={one} value={one}>
              {one.replaceAll("_", " ")}
            </option>
          ))}
        </select>
      </label>
      <label class="grow">
        <span>Note</span>
        <input
          maxLength={200}
          placeholder="for the ledger"
          value={note.value}
          onInput={(event) => (note.value = event.currentTarget.value)}
        />
      </label>
      <Button type="submit" kind="primary" blocked={whyNot("inventory:write")} busy={busy.value}>
        Change
      </Button>
    </form>
  )
}
