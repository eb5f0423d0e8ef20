import { verifyWebhook, WebhookVerificationError } from "@petstore/core/verify-webhook"
import { openShop } from "./shop.ts"

/** A handler of fetch requests: `Deno.serve(fetch)`, `Bun.serve({ fetch })`, `export default { fetch }`, `export const POST = fetch`. */
export const fetchReceiver = (secrets: ReadonlyArray<string>) => {
  const shop = openShop()

  const fetch = async (request: Request): Promise<Response> => {
    try {
      shop.handle(await verifyWebhook(secrets, request.headers, await request.arrayBuffer()))
      return new Response(null, { status: 204 })
    } catch (error) {
      if (error instanceof WebhookVerificationError) return new Response(error.message, { status: error.status })
      throw error
    }
  }
  return { fetch, log: shop.log }
}
