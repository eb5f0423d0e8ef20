import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { delivered, givenSender, url } from "../../../test/webhooks/sending.ts"
import type { WebhookRecord } from "../../tables/webhookTables.ts"
import { attempt } from "./attempt.ts"

const until = Date.parse("2030-01-01T00:00:00.000Z")

const record: WebhookRecord = {
  webhook: { id: 1, url, enabled: true, concurrency: 1, ordered: false, createdAt: "2029-01-01T00:00:00.000Z" },
  version: 1,
  secret: "whsec_new",
  previous: { secret: "whsec_old", until: new Date(until).toISOString() },
  route: { after: 0, enabled: true },
  deleted: false
}

describe("given an endpoint whose secret was rotated", () => {
  for (const [when, now, secrets] of [
    ["until the grace period ends", until - 1, ["whsec_new", "whsec_old"]],
    ["when the grace period ends", until, ["whsec_new"]]
  ] as const) {
    it.effect(`${when}, then an attempt is signed with ${secrets.join(" and ")}`, () =>
      Effect.gen(function* () {
        const { sender, sent } = givenSender(() => Effect.succeed(delivered))
        yield* attempt(sender, record, { id: "evt_1", body: "{}", attempts: 0 }, now)
        assert.deepStrictEqual(
          sent.flatMap((request) => request.secrets.map(Redacted.value)),
          [...secrets]
        )
      })
    )
  }
})

describe("given a sender that fails with a message", () => {
  for (const [what, message, kept] of [
    ["of several lines", "One.\r\nTwo.\0", "One. Two. "],
    ["that is cut off within a character", `${"x".repeat(199)}\u{1f436}`, `${"x".repeat(199)}\ufffd`],
    ["with half of a character", "\udc36.", "\ufffd."]
  ] as const) {
    it.effect(`${what}, then the outcome has a form that every database keeps`, () =>
      Effect.gen(function* () {
        const { sender } = givenSender(() => Effect.succeed({ delivered: false, reason: "connection", message }))
        const outcome = yield* attempt(sender, record, { id: "evt_1", body: "{}", attempts: 0 }, until)
        assert.propertyVal(outcome, "message", kept)
      })
    )
  }
})
