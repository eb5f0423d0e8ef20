import type { CallOptions, PetstoreApi } from "@petstore/core"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { unknown } from "./given.ts"
import { collect } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

const url = "https://example.com/hook"

const withKey: CallOptions & { readonly idempotencyKey: string } = { idempotencyKey: "once", signal: undefined }

const given = (petstore: PetstoreApi) => petstore.webhooks.create({ url })

export const webhookCases = petstoreCases("webhooks", {
  "a new webhook is shown with its secret, once": async ({ webhooks }) => {
    const { secret, version, ...created } = await webhooks.create({ url })
    assertTrue(/^whsec_[A-Za-z0-9+/]{43}=$/.test(secret), "the form of the secret")
    const { createdAt, id } = created
    assertEqual(created, { id, url, ordered: false, concurrency: 10, enabled: true, createdAt })
    assertEqual(await webhooks.get(id), { ...created, version })
    assertEqual(
      (await collect(webhooks.all())).map(({ id: each, url: to }) => [each, to]),
      [[id, url]]
    )
    assertTrue(!JSON.stringify(await webhooks.list()).includes("whsec_"), "no secret in the list")
  },
  "a webhook keeps all that it is created with": async ({ webhooks }) => {
    const types = ["pet.created", "order.placed"] as const
    const input = { url, types, description: "Ours", ordered: true, concurrency: 3 }
    const { createdAt, id, secret: _, ...created } = await webhooks.create(input)
    assertEqual(created, { ...input, enabled: true, version: 1 })
    assertEqual(await webhooks.get(id), { id, createdAt, ...created })
  },
  "an update changes the fields that are present, and null removes types and description": async ({ webhooks }) => {
    const { id } = await webhooks.create({ url, types: ["pet.created"], description: "Ours" })
    const changed = await webhooks.update(id, { url: "https://example.com/new", concurrency: 2 })
    const { createdAt: _, ...fields } = changed
    const sent = { url: "https://example.com/new", types: ["pet.created"], description: "Ours", concurrency: 2 }
    assertEqual(fields, { id, ...sent, ordered: false, enabled: true, version: 2 })
    const cleared = await webhooks.update(id, { types: null, description: null })
    assertEqual([cleared.types, cleared.description, cleared.version], [undefined, undefined, 3])
    assertEqual((await webhooks.update(id, { types: null, concurrency: 2 })).version, 3, "a no-op change")
  },
  "a webhook is disabled and enabled by an update": async ({ webhooks }) => {
    const { id } = await webhooks.create({ url })
    const off = await webhooks.update(id, { enabled: false })
    assertEqual([off.enabled, off.disabledReason, typeof off.disabledAt], [false, "requested", "string"])
    const on = await webhooks.update(id, { enabled: true })
    assertEqual([on.enabled, on.disabledReason, on.disabledAt, on.version], [true, undefined, undefined, 3])
  },
  "a deleted webhook is gone": async ({ webhooks }) => {
    const { id } = await webhooks.create({ url })
    await webhooks.delete(id)
    await rejectsWith("not_found", webhooks.get(id))
    assertEqual((await webhooks.list()).items, [])
    assertTrue((await webhooks.create({ url })).id > id, "its id is not used again")
  },
  "an update and a deletion check the version": async ({ webhooks }) => {
    const { id } = await webhooks.create({ url })
    await webhooks.update(id, { concurrency: 5 }, { ifVersion: 1 })
    await rejectsWith("precondition_failed", webhooks.update(id, { concurrency: 6 }, { ifVersion: 1 }))
    await rejectsWith("precondition_failed", webhooks.delete(id, { ifVersion: 1 }))
    await webhooks.delete(id, { ifVersion: 2 })
  },
  "URLs that no sender would send to are rejected": async ({ webhooks }) => {
    const { id } = await webhooks.create({ url })
    const wrong = ["http://example.com/hook", "https://me:pass@example.com/", "https://example.com/#top", "https://["]
    for (const bad of wrong) {
      await rejectsWith("url_not_allowed", webhooks.create({ url: bad }))
      await rejectsWith("url_not_allowed", webhooks.update(id, { url: bad }))
    }
    assertEqual((await webhooks.get(id)).version, 1)
  },
  "invalid input is rejected": async ({ webhooks }) => {
    const { id } = await webhooks.create({ url })
    await rejectsInput(webhooks.create({ url: "example.com" }), "/body/url")
    await rejectsInput(webhooks.create({ url, types: [] }), "/body/types")
    await rejectsInput(webhooks.create({ url, concurrency: 101 }), "/body/concurrency")
    await rejectsInput(webhooks.redeliver(id, {}), "/body")
    await rejectsInput(webhooks.redeliver(id, { deliveryId: 1, after: 1 }), "/body")
    await rejectsInput(webhooks.rotateSecret(id, { graceSeconds: 604_801 }), "/body/graceSeconds")
  },
  "a rotation gives a new secret, and nothing else changes": async (petstore) => {
    const before = await given(petstore)
    const after = await petstore.webhooks.rotateSecret(before.id, { graceSeconds: 60 })
    assertTrue(after.secret !== before.secret, "another secret")
    assertEqual({ ...after, secret: "" }, { ...before, secret: "" })
    assertTrue((await petstore.webhooks.rotateSecret(before.id)).secret !== after.secret, "another one again")
  },
  "a creation and a rotation accept no idempotency key, because their result contains a secret": async (petstore) => {
    await rejectsWith("invalid_idempotency_key", petstore.webhooks.create({ url }, withKey))
    const { id } = await given(petstore)
    await rejectsWith("invalid_idempotency_key", petstore.webhooks.rotateSecret(id, {}, withKey))
  },
  "a webhook has no deliveries at first, and none that could be delivered again": async (petstore) => {
    const { id } = await given(petstore)
    assertEqual(await collect(petstore.webhooks.allDeliveries(id)), [])
    assertEqual((await petstore.webhooks.deliveries(id, { status: "failed", limit: 1 })).items, [])
    await rejectsWith("not_found", petstore.webhooks.redeliver(id, { deliveryId: unknown }))
    assertEqual(await petstore.webhooks.redeliver(id, { after: 0, through: 9 }), { scheduled: 0 })
    for (const sort of ["id", "-id"] as const) {
      assertEqual((await petstore.deliveries.list({ sort, status: "failed", type: "order.placed" })).items, [])
    }
    await rejectsWith("not_found", petstore.deliveries.get(unknown))
    await rejectsWith("not_found", petstore.deliveries.requeueAll({ status: "failed", webhookId: unknown }))
    assertEqual(await petstore.deliveries.requeueAll({ status: "failed", webhookId: id }), { requeued: 0 })
    await rejectsInput(petstore.deliveries.list({ subject: "orders" }), "/query/subject")
  }
})
