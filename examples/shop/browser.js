// The countdowns of reservations.
const countDown = () => {
  for (const element of document.querySelectorAll("time")) {
    const seconds = Math.max(0, Math.ceil((Date.parse(element.dateTime) - Date.now()) / 1000))
    element.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
  }
}
countDown()
setInterval(countDown, 1000)

// What happens after the page was made: to the stock, and to the customer's own orders.
const events = new EventSource(`/petstore/v1/events/stream?after=${document.body.dataset.position}`)
const on = (type, handle) => events.addEventListener(type, ({ data }) => handle(JSON.parse(data).data))
const show = (selector, text) => {
  for (const element of document.querySelectorAll(selector)) element.textContent = text
}

on("inventory.updated", ({ available, petId }) => show(`[data-stock="${petId}"]`, available))
on("order.expired", ({ id }) => show(`[data-order="${id}"]`, "Expired: it was not paid in time"))
on("order.completed", ({ id }) => show(`[data-order="${id}"]`, "Paid, on its way"))
