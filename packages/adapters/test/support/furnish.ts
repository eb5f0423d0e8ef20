import type { Petstore } from "@petstore/core"
import { MessageRules } from "@petstore/core/domain"
import { runtimeOf } from "@petstore/core/effect"
import { Commands } from "@petstore/core/runtime"
import * as tables from "@petstore/core/tables"
import * as Effect from "effect/Effect"

/** A message whose last attempt failed, `msg_failed`, with its events. */
const addFailedMessage = Effect.flatMap(Commands, ({ run }) =>
  run("messages.finish", function* (call) {
    const at = call.now()
    const subject = "messages/msg_failed"
    const queued = MessageRules.queued("msg_failed", "Hello", at)
    const failed = { ...queued, status: "failed", attempts: 10, finishedAt: at, lastError: "no paper" } as const
    const ended = { ...failed, lease: { fence: 10 } }
    call.tx.add(tables.messages, queued)
    call.record(at, [{ type: "message.queued", subject, data: MessageRules.toMessage(queued) }])
    call.tx.save(tables.messages, ended)
    call.record(at, [{ type: "message.failed", subject, data: MessageRules.toMessage(ended) }])
  })
)

/**
 * What the calls of a host find: a category, a pet with five units and three orders, a pet, an account and a key, a failed
 * message, and a webhook with a delivery.
 */
export const furnish = async (petstore: Petstore): Promise<void> => {
  const { id: categoryId } = await petstore.categories.create({ name: "Rabbits" })
  await petstore.categories.create({ name: "Empty" })
  const { id: petId } = await petstore.pets.create({ name: "Flopsy", categoryId })
  await petstore.pets.create({ name: "Mopsy", categoryId })
  await petstore.inventory.set(petId, 5)
  await petstore.orders.place({ petId, quantity: 2 })
  await petstore.orders.place({ petId })
  const { id: accountId } = await petstore.accounts.create({ name: "Till" })
  await petstore.apiKeys.create({ accountId, name: "one", scopes: ["pets:read"] })
  await petstore.orders.place({ petId }, { idempotencyKey: "before" })
  await runtimeOf(petstore).runPromise(addFailedMessage)
  // Gives pending events their numbers, which the webhook begins after.
  await petstore.verify()
  const { id: webhookId } = await petstore.webhooks.create({ url: "https://example.com/" })
  await petstore.webhooks.redeliver(webhookId, { after: 0, through: 1 })
}
