import { verifyWebhook } from "@petstore/core/verify-webhook"
import fastify from "fastify"
import { openShop } from "./shop.ts"

/** A Fastify app that receives webhooks, and parses JSON everywhere else. */
export const fastifyReceiver = (secrets: ReadonlyArray<string>) => {
  const shop = openShop()
  const app = fastify()

  // The parser is for the routes of this plugin only.
  app.register(async (webhooks) => {
    webhooks.removeContentTypeParser("application/json")
    webhooks.addContentTypeParser<Buffer>(
      "application/json",
      { parseAs: "buffer" },
      async (_: unknown, body: Buffer) => body
    )
    webhooks.post<{ Body: Buffer }>("/webhooks", async ({ body, headers }, reply) => {
      // A WebhookVerificationError has the status that Fastify responds with.
      shop.handle(await verifyWebhook(secrets, headers, body))
      return reply.code(204).send()
    })
  })
  return { app, log: shop.log }
}
