import { rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore, type WebhookOutcome } from "@petstore/core"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../core/test/support/expectLogs.ts"
import { query, testDatabase } from "../test/support/postgres.ts"
import { smallDisk } from "../test/support/smallDisk.ts"
import { postgres } from "./postgres/postgres.ts"
import { sqlite } from "./sqlite/sqlite.ts"

expectLogs(
  clearText,
  "Nothing can be written to",
  "can be written to again",
  "could not read or write the store",
  "deliveries to webhook"
)

const delivered: WebhookOutcome = { delivered: true, status: 204 }
const types = ["category.created"] as const

/** Two endpoints and a consumer, which fill the disk while they handle their first event. */
const given = (
  petstore: Promise<Petstore>,
  state: { sent: Array<string>; handled: Array<number> },
  fill: () => Promise<void>
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const opened = await petstore
      for (let n = 0; n < 2; n++) await opened.webhooks.create({ url: "https://example.com/hook", types })
      await opened.events.consume(
        "invoices",
        async ({ seq }) => {
          await fill()
          state.handled.push(seq)
        },
        { types }
      )
      return opened
    }),
    (opened) => Effect.promise(() => opened.close())
  )

/** What holds once there is space: each event has one delivery to each endpoint, which was recorded, and the consumer has it. */
const checkHealed = async (
  petstore: Petstore,
  { handled, sent }: { sent: ReadonlyArray<string>; handled: ReadonlyArray<number> }
) => {
  await petstore.categories.create({ name: "After" })
  const events = []
  for await (const event of petstore.events.all({ types })) events.push(event)
  assert.lengthOf(events, 2)
  for (const id of [1, 2]) {
    for (;;) {
      const { items } = await petstore.webhooks.deliveries(id)
      if (items.length === events.length && items.every(({ status }) => status === "delivered")) {
        assert.deepStrictEqual(
          items.map(({ seq }) => seq),
          events.map(({ seq }) => seq)
        )
        break
      }
      await setTimeout(20)
    }
  }
  while ((await petstore.events.consumers.get("invoices")).lag > 0) await setTimeout(20)
  assert.sameMembers(
    [...new Set(handled)],
    events.map(({ seq }) => seq)
  )
  assert.sameMembers(
    [...sent],
    events.flatMap(({ id }) => [`1 ${id}`, `2 ${id}`])
  )
  assert.isTrue((await petstore.verify()).ok)
}

describe("given a disk that is full while deliveries are recorded and a consumer acknowledges", () => {
  it.live("when SQLite has space again, then each delivery is recorded once, and nothing is lost", (test) =>
    Effect.gen(function* () {
      const folder = yield* smallDisk
      if (folder === undefined) return test.skip("this process may not mount a small disk: run the tests as root")
      const ballast = join(folder, "ballast")
      // Fills the disk once both requests and the handler have begun.
      let begun = 0
      let open = () => {}
      const isFull = new Promise<void>((resolve) => {
        open = resolve
      })
      const fill = async () => {
        if (++begun === 3) {
          const { bavail, bsize } = statfsSync(folder)
          writeFileSync(ballast, new Uint8Array(bavail * bsize))
          open()
        }
        await isFull
      }
      const state = { sent: [] as string[], handled: [] as number[] }
      const send = ({ id, webhookId }: { readonly id: string; readonly webhookId: number }) =>
        Effect.map(Effect.promise(fill), () => {
          state.sent.push(`${webhookId} ${id}`)
          return delivered
        })
      const petstore = yield* given(
        createPetstore({
          storage: sqlite(join(folder, "petstore.db")),
          webhooks: { send, urlProblem: () => undefined }
        }),
        state,
        fill
      )
      yield* Effect.promise(async () => {
        await petstore.categories.create({ name: "Dogs" })
        while (state.sent.length < 2 || state.handled.length === 0) await setTimeout(5)
        await setTimeout(300)
        const recorded = (await petstore.webhooks.deliveries(1)).items.filter(({ status }) => status === "delivered")
        assert.lengthOf(recorded, 0, "no record has fitted")
        rmSync(ballast)
        await checkHealed(petstore, state)
      })
    })
  )

  it.live("when PostgreSQL has space again, then each delivery is recorded once, and nothing is lost", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const state = { sent: [] as string[], handled: [] as number[] }
      const send = ({ id, webhookId }: { readonly id: string; readonly webhookId: number }) =>
        Effect.sync(() => {
          state.sent.push(`${webhookId} ${id}`)
          return delivered
        })
      const petstore = yield* given(
        createPetstore({ storage: postgres(url), webhooks: { send, urlProblem: () => undefined } }),
        state,
        async () => {}
      )
      yield* Effect.promise(async () => {
        await query(
          url,
          `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN RAISE EXCEPTION ''could not extend file: No space left on device'' USING ERRCODE = ''53100''; END';
           CREATE TRIGGER full_disk BEFORE UPDATE ON petstore.petstore_deliveries FOR EACH ROW
             WHEN (NEW.status = 'delivered') EXECUTE FUNCTION full_disk();
           CREATE TRIGGER full_disk BEFORE UPDATE ON petstore.petstore_consumers FOR EACH ROW
             WHEN (NEW.position > OLD.position) EXECUTE FUNCTION full_disk()`
        )
        await petstore.categories.create({ name: "Dogs" })
        while (state.sent.length === 0 || state.handled.length === 0) await setTimeout(5)
        await setTimeout(300)
        const recorded = (await petstore.webhooks.deliveries(1)).items.filter(({ status }) => status === "delivered")
        assert.lengthOf(recorded, 0, "no record has fitted")
        await query(
          url,
          `DROP TRIGGER full_disk ON petstore.petstore_deliveries; DROP TRIGGER full_disk ON petstore.petstore_consumers`
        )
        await checkHealed(petstore, state)
      })
    })
  )
})
