import type { InventoryItem, Order, PetstoreStats } from "@petstore/core"
import type { Customer } from "./customers.ts"

/** Text that is safe to send to a browser. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const textOf = (part: Html | ReadonlyArray<Html> | string | number): string => {
  if (part instanceof Html) return part.text
  if (typeof part === "object") return part.map(({ text }) => text).join("")
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? "")
}

/** A template of HTML, which escapes what is put into it, unless that is HTML itself. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Parameters<typeof textOf>[0]>): Html =>
  new Html(String.raw({ raw: strings }, ...parts.map(textOf)))

const form = (action: string, button: string, fields: Readonly<Record<string, number>>, field?: Html): Html =>
  html`<form method="post" action="${action}">
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    ${field ?? ""} <button>${button}</button>
  </form>`

const quantityField = (quantity: number): Html =>
  html`<input name="quantity" type="number" min="0" value="${quantity}" aria-label="Quantity">`

/** Who looks at a page, and the position in the event log from which the page follows what happens. */
export interface Visit {
  readonly customer: Customer | undefined
  readonly position: number
}

export const page = ({ customer, position }: Visit, title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body { font-family: sans-serif; margin: 2rem } form { display: inline } td { padding: 0.3rem 1rem 0.3rem 0 }</style>
<body data-position="${position}">
<a href="/">Pets</a> <a href="/cart">Cart</a> <a href="/orders">Orders</a> <a href="/admin">Admin</a>
${customer ? html`${customer.name} ${form("/sign-out", "Sign out", {})}` : html`<a href="/sign-in">Sign in</a>`}
<h1>${title}</h1>
${body}
<script src="/browser.js" type="module"></script>
</html>`.text

export type Named<A> = A & { readonly name: string }

export const petTable = (pets: ReadonlyArray<Named<InventoryItem>>): Html =>
  html`<table>${pets.map(
    ({ available = 0, name, petId }) =>
      html`<tr><td>${name}</td><td><span data-stock="${petId}">${available}</span> in stock</td>
        <td>${form("/cart", "Put into the cart", { petId }, quantityField(1))}</td></tr>`
  )}</table>`

export const cartTable = (cartId: number, lines: ReadonlyArray<Named<{ petId: number; quantity: number }>>): Html =>
  html`<table>${lines.map(
    ({ name, petId, quantity }) =>
      html`<tr><td>${name}</td><td>${form("/cart", "Change", { petId }, quantityField(quantity))}</td></tr>`
  )}</table>
  ${lines.length === 0 ? "Your cart is empty." : form("/checkout", "Order", { cartId })}`

/** The browser fills the element `time` with the time that is left. */
export const orderTable = (orders: ReadonlyArray<Named<Order & { readonly expiresAt: string | undefined }>>): Html =>
  html`<table>${orders.map(
    ({ complete, expiresAt = "", id, name, quantity = 0 }) =>
      html`<tr><td>${id}</td><td>${quantity} × ${name}</td><td data-order="${id}">${
        complete
          ? "Paid, on its way"
          : html`Reserved for <time datetime="${expiresAt}"></time> ${form("/pay", "Pay", { orderId: id })}`
      }</td></tr>`
  )}</table>`

export const countList = (counts: Readonly<Record<string, string>>, { reservations, webhooks }: PetstoreStats): Html =>
  html`<ul>${Object.entries(counts).map(([name, count]) => html`<li>${name}: ${count}</li>`)}
    <li>Overdue reservations: ${reservations.overdue}</li>
    ${webhooks.endpoints.map(({ failed, id, pending }) => html`<li>Webhook ${id}: ${pending} pending, ${failed} failed</li>`)}
  </ul>`

export const stockTable = (stock: ReadonlyArray<Named<InventoryItem>>): Html =>
  html`<table>${stock.map(
    ({ name, petId, quantity, reserved = 0 }) =>
      html`<tr><td>${name}</td><td>${quantity} here, ${reserved} of them reserved</td>
        <td>${form("/received", "Received", { petId }, quantityField(1))}</td></tr>`
  )}</table>`

export const signInForm = html`<form method="post">
  <input name="name" required maxlength="100" placeholder="Name" aria-label="Name">
  <input name="password" type="password" required maxlength="200" placeholder="Password" aria-label="Password">
  <button formaction="/sign-in">Sign in</button> <button formaction="/register">Register</button>
</form>`
