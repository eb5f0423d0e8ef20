import { verifyWebhook, WebhookVerificationError } from "@petstore/core/verify-webhook"
import express, { type ErrorRequestHandler } from "express"
import { openShop } from "./shop.ts"

/** An Express app that receives webhooks, and parses JSON everywhere else. */
export const expressReceiver = (secrets: ReadonlyArray<string>) => {
  const shop = openShop()
  const app = express()

  // In front of express.json(), which would leave nothing to verify.
  app.post("/webhooks", express.raw({ type: "application/json" }), async (request, response) => {
    shop.handle(await verifyWebhook(secrets, request.headers, request.body))
    response.sendStatus(204)
  })
  app.use(express.json())

  const onError: ErrorRequestHandler = (error, _request, response, next) => {
    if (error instanceof WebhookVerificationError) response.status(error.status).send(error.message)
    else next(error)
  }
  app.use(onError)
  return { app, log: shop.log }
}
