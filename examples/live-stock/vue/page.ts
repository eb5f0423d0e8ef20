import { createApp, defineComponent, h, onMounted, ref, shallowRef } from "vue"
import { clockText } from "../browser/serverTime.ts"
import { currentReservation, type Reservation, reserve } from "../browser/shop.ts"
import { useCountdown, useStock } from "./hooks.ts"

// Functions instead of templates: they need neither a compiler in the build nor eval in the page.
const Stock = defineComponent({
  emits: { reserve: (petId: number) => petId > 0 },
  setup: (_, { emit }) => {
    const rows = useStock()
    return () =>
      h(
        "ul",
        rows.value.map(({ available, id, name }) =>
          h("li", { key: id }, [
            h("span", `${name}: ${available > 0 ? `${available} for sale` : "sold out"}`),
            " ",
            h("button", { disabled: available === 0, onClick: () => emit("reserve", id) }, "Reserve")
          ])
        )
      )
  }
})

const Countdown = defineComponent({
  props: { until: { type: String, required: true } },
  setup: (props) => {
    const seconds = useCountdown(() => props.until)
    return () =>
      h(
        "p",
        { role: "timer" },
        seconds.value > 0 ? `Reserved for ${clockText(seconds.value)}` : "Your reservation has ended"
      )
  }
})

const Page = defineComponent(() => {
  const isOpen = ref(true)
  const reservation = shallowRef<Reservation>()
  const error = ref("")
  const show = async (reading: Promise<Reservation | undefined>) => {
    error.value = ""
    try {
      reservation.value = await reading
    } catch (cause) {
      error.value = cause instanceof Error ? cause.message : String(cause)
    }
  }
  onMounted(() => show(currentReservation()))
  return () => [
    h("button", { onClick: () => (isOpen.value = !isOpen.value) }, `${isOpen.value ? "Hide" : "Show"} the stock`),
    isOpen.value && h(Stock, { onReserve: (petId: number) => show(reserve(petId)) }),
    reservation.value && h(Countdown, { until: reservation.value.expiresAt }),
    h("p", { role: "alert" }, error.value)
  ]
})

createApp(Page).mount("main")
