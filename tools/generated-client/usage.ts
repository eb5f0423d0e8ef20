import createClient from "openapi-fetch"
import { createClient as createHeyApiClient } from "./generated/hey-api/client/index.js"
import * as heyApi from "./generated/hey-api/index.js"
import type { components, paths } from "./generated/openapi-typescript.js"
import { createApiClient } from "./generated/openapi-zod-client.js"

type Pet = components["schemas"]["Pet"]
type Refusal = components["schemas"]["Error"]
type Event = components["schemas"]["Event"]
type WebhookEvent = components["schemas"]["WebhookEvent"]

/** Where a petstore is served, and a key for it. */
export interface Server {
  readonly baseUrl: string
  readonly key: string
}

/** The calls that a shop makes, with either client. */
interface Shop {
  readonly createCategory: (name: string) => Promise<number>
  readonly createPet: (name: string, categoryId: number) => Promise<Pet>
  readonly available: (id: number) => Promise<ReadonlyArray<Pet>>
  readonly units: (petId: number) => Promise<number>
  readonly refusedOrder: (petId: number, quantity: number) => Promise<Refusal>
  readonly events: (after: number) => Promise<ReadonlyArray<Event>>
}

/** What happened, from an event or from the body of a webhook: `type` determines the type of `data`. */
const described = (event: Event | WebhookEvent): string => {
  switch (event.type) {
    case "pet.status_changed":
      return `${event.data.name} was ${event.data.previous} and is ${event.data.status}`
    case "inventory.updated":
      return `${event.data.quantity} units`
    case "webhook.test":
      return `test of ${event.data.id}`
    default:
      return event.type
  }
}

const need = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("The response is missing")
  return value
}

const openApiFetchShop = ({ baseUrl, key }: Server): Shop => {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })
  return {
    createCategory: async (name) => need((await client.POST("/categories", { body: { name } })).data).id,
    createPet: async (name, categoryId) => need((await client.POST("/pets", { body: { name, categoryId } })).data),
    available: async (id) =>
      need((await client.GET("/pets", { params: { query: { status: "available", limit: 1, id: [id] } } })).data),
    units: async (petId) =>
      need((await client.GET("/store/pets/{petId}", { params: { path: { petId } } })).data).inventory.quantity,
    refusedOrder: async (petId, quantity) =>
      need((await client.POST("/store/orders", { body: { petId, quantity } })).error),
    events: async (after) => need((await client.GET("/events", { params: { query: { after } } })).data)
  }
}

const heyApiShop = ({ baseUrl, key }: Server): Shop => {
  const client = createHeyApiClient({ baseUrl, auth: () => key })
  return {
    createCategory: async (name) => need((await heyApi.createCategory({ client, body: { name } })).data).id,
    createPet: async (name, categoryId) => need((await heyApi.createPet({ client, body: { name, categoryId } })).data),
    available: async (id) =>
      need((await heyApi.listPets({ client, query: { status: "available", limit: 1, id: [id] } })).data),
    units: async (petId) =>
      need((await heyApi.getPetWithInventory({ client, path: { petId } })).data).inventory.quantity,
    refusedOrder: async (petId, quantity) =>
      need((await heyApi.placeOrder({ client, body: { petId, quantity } })).error),
    events: async (after) => need((await heyApi.listEvents({ client, query: { after } })).data)
  }
}

/** It validates every response with the schemas that were generated. */
const zodShop = ({ baseUrl, key }: Server): Shop => {
  // A parameter that is a list is repeated, as the description says; axios adds brackets to its name unless told.
  const axiosConfig = { headers: { Authorization: `Bearer ${key}` }, paramsSerializer: { indexes: null } }
  const client = createApiClient(baseUrl, { axiosConfig })
  return {
    createCategory: async (name) => (await client.createCategory({ name })).id,
    createPet: (name, categoryId) => client.createPet({ name, categoryId }),
    available: (id) => client.listPets({ queries: { status: "available", limit: 1, id: [id] } }),
    units: async (petId) => (await client.getPetWithInventory({ params: { petId } })).inventory.quantity,
    refusedOrder: (petId, quantity) =>
      client.placeOrder({ petId, quantity }).then(
        () => need(undefined),
        (error) => error.response.data
      ),
    events: (after) => client.listEvents({ queries: { after } })
  }
}

const visit = async (name: string, shop: Shop): Promise<void> => {
  const before = (await shop.events(0)).at(-1)?.seq ?? 0
  const pet = await shop.createPet("Rex", await shop.createCategory(`Dogs of ${name}`))
  const names = (await shop.available(pet.id)).map((found) => found.name)
  const refusal = await shop.refusedOrder(pet.id, 1 + (await shop.units(pet.id)))
  const seen = [names.join(), refusal.code, refusal.status].join(" ")
  const events = (await shop.events(before)).map(described).join(", ")
  if (events !== "category.created, pet.created, 1 units") throw new Error(`${name} read the events: ${events}`)
  if (seen !== "Rex insufficient_stock 409") throw new Error(`${name} saw: ${seen}`)
  console.log(`${name}: works`)
}

/** Uses a petstore by each of the generated clients. */
export const visitAll = async (server: Server): Promise<void> => {
  await visit("openapi-typescript with openapi-fetch", openApiFetchShop(server))
  await visit("@hey-api/openapi-ts", heyApiShop(server))
  await visit("openapi-zod-client", zodShop(server))
}
