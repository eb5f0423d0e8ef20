/** @jsxImportSource preact */
import { useSignal } from "@preact/signals"
import { render } from "preact"
import { useEffect } from "preact/hooks"
import { clockText } from "../browser/serverTime.ts"
import { currentReservation, type Reservation, reserve } from "../browser/shop.ts"
import { useCountdown, useStock } from "./hooks.ts"

const Stock = ({ onReserve }: { onReserve: (petId: number) => void }) => (
  <ul>
    {useStock().value.map(({ available, id, name }) => (
      <li key={id}>
        <span>
          {name}: {available > 0 ? `${available} for sale` : "sold out"}
        </span>{" "}
        <button type="button" disabled={available === 0} onClick={() => onReserve(id)}>
          Reserve
        </button>
      </li>
    ))}
  </ul>
)

const Countdown = ({ until }: { until: string }) => {
  const seconds = useCountdown(until).value
  return <p role="timer">{seconds > 0 ? `Reserved for ${clockText(seconds)}` : "Your reservation has ended"}</p>
}

const Page = () => {
  const isOpen = useSignal(true)
  const reservation = useSignal<Reservation>()
  const error = useSignal("")
  const show = async (reading: Promise<Reservation | undefined>) => {
    error.value = ""
    try {
      reservation.value = await reading
    } catch (cause) {
      error.value = cause instanceof Error ? cause.message : String(cause)
    }
  }
  useEffect(() => void show(currentReservation()), [])
  return (
    <>
      <button type="button" onClick={() => (isOpen.value = !isOpen.value)}>
        {isOpen.value ? "Hide" : "Show"} the stock
      </button>
      {isOpen.value && <Stock onReserve={(petId) => void show(reserve(petId))} />}
      {reservation.value && <Countdown until={reservation.value.expiresAt} />}
      <p role="alert">{error}</p>
    </>
  )
}

const root = document.querySelector("main")
if (root !== null) render(<Page />, root)
