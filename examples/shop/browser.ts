import { createClient } from "@petstore/http/client"
import { clockText, countdown, fetchWithTime } from "../live-stock/browser/serverTime.ts"
import { whileVisible } from "../live-stock/browser/whileVisible.ts"

const petstore = createClient({ baseUrl: "/petstore/v1", fetch: fetchWithTime })

const show = (selector: string, text: string | number) => {
  for (const element of document.querySelectorAll(selector)) element.textContent = String(text)
}

// What happens after the page was made: to the stock, and to the customer's own orders.
let after = Number(document.body.dataset.position)
whileVisible(async (signal) => {
  for await (const { data, seq, type } of petstore.events.stream({ after }, { signal })) {
    after = seq
    if (type === "inventory.updated") show(`[data-stock="${data.petId}"]`, data.available)
    else if (type === "order.expired") show(`[data-order="${data.id}"]`, "Expired: it was not paid in time")
    else if (type === "order.completed") show(`[data-order="${data.id}"]`, "Paid, on its way")
  }
})

// The countdowns of reservations. The response tells the time of the server.
const reservations = document.querySelectorAll("time")
if (reservations.length > 0) await fetchWithTime("/browser.js", { method: "HEAD", cache: "no-store" })
for (const element of reservations) {
  const { get, subscribe } = countdown(element.dateTime)
  subscribe(() => {
    element.textContent = clockText(get())
  })
}
