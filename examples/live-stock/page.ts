import { createClient } from "@petstore/http/client"

// Without a key: the browser sends the cookie of the session.
const petstore = createClient({ baseUrl: "/petstore/v1" })

const list = document.querySelector("ul")
const lines = new Map<number, HTMLLIElement>()

const show = (petId: number, name: string, available: number): void => {
  const line = lines.get(petId) ?? document.createElement("li")
  lines.set(petId, line)
  line.dataset.name = name
  line.textContent = `${name}: ${available > 0 ? `${available} for sale` : "sold out"}`
  list?.append(line)
}

// First the position, then the rows: what changes in between comes as an event.
const after = await petstore.events.latest()
for await (const { id, name } of petstore.pets.all()) {
  const { available = 0 } = await petstore.inventory.get(id)
  show(id, name, available)
}

await petstore.events.subscribe(
  (event) => {
    if (event.type === "inventory.updated") {
      const { available, petId } = event.data
      show(petId, lines.get(petId)?.dataset.name ?? `Pet ${petId}`, available)
    }
  },
  { after, types: ["inventory.updated"] }
)
document.body.dataset.live = "true"
