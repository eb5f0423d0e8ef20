import { verifyWebhook, WebhookVerificationError } from "@petstore/core/verify-webhook"
import express, { type ErrorRequestHandler } from "express"

/** The server of another company, which ships what is paid. It knows the shop by the secret of its webhook. */
export const openWarehouse = () => {
  const secrets: Array<string> = []
  // By the id of the event, so that one that arrives twice is one parcel.
  const parcels = new Map<string, string>()
  const app = express()

  app.post("/webhooks", express.raw({ type: "application/json" }), async (request, response) => {
    const event = await verifyWebhook(secrets, request.headers, request.body)
    if (event.type === "order.completed") {
      parcels.set(event.id, `order ${event.data.id}: ${event.data.quantity} of pet ${event.data.petId}`)
    }
    response.sendStatus(204)
  })
  app.get("/", (_request, response) => void response.json([...parcels.values()]))

  const onError: ErrorRequestHandler = (error, _request, response, next) => {
    if (error instanceof WebhookVerificationError) response.status(error.status).send(error.message)
    else next(error)
  }
  app.use(onError)
  return { app, trust: (secret: string) => void secrets.unshift(secret) }
}
