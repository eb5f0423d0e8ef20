import { StrictMode, useEffect, useState } from "react"
import { createRoot } from "react-dom/client"
import { clockText } from "../browser/serverTime.ts"
import { currentReservation, type Reservation, reserve } from "../browser/shop.ts"
import { useCountdown, useStock } from "./hooks.ts"

const Stock = ({ onReserve }: { onReserve: (petId: number) => void }) => (
  <ul>
    {useStock().map(({ available, id, name }) => (
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
  const seconds = useCountdown(until)
  return <p role="timer">{seconds > 0 ? `Reserved for ${clockText(seconds)}` : "Your reservation has ended"}</p>
}

const Page = () => {
  const [isOpen, setOpen] = useState(true)
  const [reservation, setReservation] = useState<Reservation>()
  const [error, setError] = useState("")
  const show = (reading: Promise<Reservation | undefined>) => {
    setError("")
    reading.then(setReservation, ({ message }: Error) => setError(message))
  }
  useEffect(() => show(currentReservation()), [])
  return (
    <>
      <button type="button" onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide" : "Show"} the stock
      </button>
      {isOpen && <Stock onReserve={(petId) => show(reserve(petId))} />}
      {reservation && <Countdown until={reservation.expiresAt} />}
      <p role="alert">{error}</p>
    </>
  )
}

const root = document.querySelector("main")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>
  )
}
