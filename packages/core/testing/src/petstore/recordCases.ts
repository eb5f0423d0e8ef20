import type { PetstoreApi } from "@petstore/core"
import { limits, type RecordKind, type RecordUpdate } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { category, orderOf, petOf, unknown } from "./given.ts"
import { petAndStock } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

const kinds: ReadonlyArray<RecordKind> = ["pets", "categories", "orders"]

/** A new resource of a kind. */
const given = async (petstore: PetstoreApi, kind: RecordKind): Promise<number> => {
  if (kind === "categories") return category(petstore)
  return kind === "pets" ? petOf(petstore, 9) : orderOf(petstore, await petOf(petstore, 9))
}

const end = (petstore: PetstoreApi, kind: RecordKind, id: number): Promise<void> =>
  kind === "orders" ? petstore.orders.cancel(id) : petstore[kind].delete(id)

const texts = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${String(index).padStart(2, "0")}`, "text"]))

export const recordCases = petstoreCases("records", {
  "a new resource of every kind has its times, and nothing else": async (petstore) => {
    for (const kind of kinds) {
      const id = await given(petstore, kind)
      const { createdAt, updatedAt, ...rest } = await petstore.records.get(kind, id)
      assertEqual(rest, { id, metadata: {}, version: 1 }, kind)
      assertTrue(new Date(createdAt).toISOString() === createdAt && createdAt <= updatedAt, "the times are times")
    }
  },
  "a change of a resource changes its time, and one of its stock does not": async (petstore) => {
    const id = await petOf(petstore, 9)
    const { createdAt, updatedAt } = await petstore.records.get("pets", id)
    await petstore.inventory.set(id, 8)
    assertEqual((await petstore.records.get("pets", id)).updatedAt, updatedAt)
    await petstore.pets.update(id, { name: "Max" })
    const changed = await petstore.records.get("pets", id)
    assertEqual(changed.createdAt, createdAt)
    assertTrue(changed.updatedAt >= updatedAt, "the time does not go back")
  },
  "an external id and metadata are kept, and found by the external id": async (petstore) => {
    for (const kind of kinds) {
      const id = await given(petstore, kind)
      const metadata = { zone: "7/2", chip: "276 🐶" }
      const updated = await petstore.records.update(kind, id, { externalId: " A/1 ", metadata })
      const { createdAt, updatedAt, ...rest } = updated
      assertEqual(rest, { id, externalId: "A/1", metadata: { chip: "276 🐶", zone: "7/2" }, version: 2 }, kind)
      assertEqual(await petstore.records.get(kind, id), updated)
      assertEqual(await petstore.records.getByExternalId(kind, "A/1"), updated)
      await rejectsWith("not_found", petstore.records.getByExternalId(kind, "a/1"))
      assertTrue(createdAt <= updatedAt, "it was created before it was changed")
    }
  },
  "what is absent stays, and null or an empty text removes": async (petstore) => {
    const id = await petOf(petstore, 1)
    const contentOf = async () => {
      const { externalId, metadata } = await petstore.records.get("pets", id)
      return [externalId, metadata]
    }
    await petstore.records.update("pets", id, { externalId: "A", metadata: { a: "1", b: "2", c: "3" } })
    await petstore.records.update("pets", id, { metadata: { a: null, b: "", c: "4", d: "5" } })
    assertEqual(await contentOf(), ["A", { c: "4", d: "5" }])
    await petstore.records.update("pets", id, { externalId: "B" })
    assertEqual(await contentOf(), ["B", { c: "4", d: "5" }])
    await petstore.records.update("pets", id, { metadata: null })
    assertEqual(await contentOf(), ["B", {}])
    await petstore.records.update("pets", id, { externalId: null })
    assertEqual(await contentOf(), [undefined, {}])
    await rejectsWith("not_found", petstore.records.getByExternalId("pets", "B"))
  },
  "an external id is of one resource of a kind, and free again when that gives it up or is deleted": async (
    petstore
  ) => {
    for (const kind of kinds) {
      const [one, other] = [await given(petstore, kind), await given(petstore, kind)]
      await petstore.records.update(kind, one, { externalId: "A" })
      await petstore.records.update(kind, one, { externalId: "A", metadata: { a: "1" } })
      await rejectsWith("external_id_taken", petstore.records.update(kind, other, { externalId: "A" }), {
        externalId: "A"
      })
      await petstore.records.update(kind, one, { externalId: "B" })
      await petstore.records.update(kind, other, { externalId: "A" })
      await end(petstore, kind, other)
      await rejectsWith("not_found", petstore.records.getByExternalId(kind, "A"))
      await rejectsWith("not_found", petstore.records.get(kind, other))
      await rejectsWith("not_found", petstore.records.update(kind, other, { externalId: "C" }))
      await petstore.records.update(kind, one, { externalId: "A" })
      assertEqual((await petstore.records.getByExternalId(kind, "A")).id, one)
    }
  },
  "two resources that take one external id at once do not both get it": async (petstore) => {
    const ids = [await petOf(petstore, 1), await petOf(petstore, 1), await petOf(petstore, 1)]
    const codes = await Promise.all(
      ids.map((id) =>
        petstore.records.update("pets", id, { externalId: "A" }).then(
          () => "taken",
          (error: unknown) => Reflect.get(Object(error), "code")
        )
      )
    )
    assertEqual([...codes].sort(), ["external_id_taken", "external_id_taken", "taken"])
  },
  "a record of nothing is not found": async (petstore) => {
    for (const kind of kinds) {
      await rejectsWith("not_found", petstore.records.get(kind, unknown))
      await rejectsWith("not_found", petstore.records.getByExternalId(kind, "A"))
      await rejectsWith("not_found", petstore.records.update(kind, unknown, { externalId: "A" }))
    }
  },
  "a record has another version after each change of its own, and of its resource": async (petstore) => {
    const id = await petOf(petstore, 9)
    const versionOf = async () => (await petstore.records.get("pets", id)).version
    const updated = async (update: RecordUpdate) => (await petstore.records.update("pets", id, update)).version
    assertEqual(await updated({ externalId: "A" }), 2)
    await petstore.pets.update(id, { name: "Max" })
    assertEqual(await versionOf(), 3)
    assertEqual(await updated({ externalId: null }), 4, "an empty record keeps its version")
    assertEqual(await updated({ externalId: null }), 4)
    await petstore.inventory.set(id, 8)
    assertEqual(await versionOf(), 4)
    assertEqual(await updated({ metadata: { a: "1" } }), 5)
  },
  "a record of every kind is changed only at the given version, or one of several": async (petstore) => {
    for (const kind of kinds) {
      const id = await given(petstore, kind)
      await petstore.records.update(kind, id, { externalId: "A" })
      const before = await petstore.records.get(kind, id)
      for (const ifVersion of [1, 3, [1, 3], []]) {
        const update = { externalId: "B" }
        await rejectsWith("precondition_failed", petstore.records.update(kind, id, update, { ifVersion }))
        await rejectsWith("precondition_failed", petstore.records.update(kind, id, {}, { ifVersion }))
      }
      assertEqual(await petstore.records.get(kind, id), before)
      const once = { ifVersion: [9, 2], idempotencyKey: `once-${kind}` }
      const changed = await petstore.records.update(kind, id, { externalId: null }, once)
      assertEqual(changed.version, 3)
      assertEqual(await petstore.records.update(kind, id, { externalId: null }, once), changed)
      const other = { ...once, ifVersion: 3 }
      await rejectsWith("idempotency_key_reused", petstore.records.update(kind, id, { externalId: null }, other))
      await rejectsWith("not_found", petstore.records.update(kind, unknown, {}, { ifVersion: 1 }))
    }
  },
  "of many changes of a record at the same version one is made": async (petstore) => {
    const id = await petOf(petstore, 1)
    const results = await Promise.allSettled(
      Object.keys(texts(20)).map((a) => petstore.records.update("pets", id, { metadata: { a } }, { ifVersion: 1 }))
    )
    const made = results.filter((result) => result.status === "fulfilled")
    assertEqual(made.length, 1)
    assertEqual(await petstore.records.get("pets", id), made[0]?.value)
  },
  "a change of a record has an event of its own, and changes no version of its resource": async (petstore) => {
    const id = await petOf(petstore, 3)
    const before = await petAndStock(petstore, id)
    const after = await petstore.events.latest()
    await petstore.records.update("pets", id, { externalId: "A", metadata: { a: "1" } })
    await petstore.records.update("pets", id, { externalId: "A", metadata: { a: "1", b: null } })
    await petstore.records.update("pets", id, {})
    assertEqual(await petAndStock(petstore, id), before)
    assertEqual(
      (await petstore.events.list({ after })).items.map(({ data, subject, type }) => [type, subject, data]),
      [["pet.record_updated", `pets/${id}`, { id, externalId: "A", metadata: { a: "1" } }]]
    )
  },
  "metadata has at most 50 keys, those that are stored included": async (petstore) => {
    const id = await petOf(petstore, 1)
    const whole = texts(limits.metadataKeys)
    assertEqual((await petstore.records.update("pets", id, { metadata: whole })).metadata, whole)
    await rejectsInput(petstore.records.update("pets", id, { metadata: { another: "text" } }), "/body/metadata")
    await petstore.records.update("pets", id, { metadata: { another: "text", key00: null } })
    await rejectsInput(
      petstore.records.update("pets", id, { metadata: texts(limits.metadataKeys + 1) }),
      "/body/metadata"
    )
  },
  "keys and texts have their lengths": async (petstore) => {
    const id = await petOf(petstore, 1)
    const longest = { ["k".repeat(limits.metadataKey)]: "🐶".repeat(limits.metadataText) }
    assertEqual((await petstore.records.update("pets", id, { metadata: longest })).metadata, longest)
    const externalId = "🐶".repeat(limits.externalId)
    assertEqual((await petstore.records.update("pets", id, { externalId })).externalId, externalId)
    for (const update of [
      { metadata: { ["k".repeat(limits.metadataKey + 1)]: "text" } },
      { metadata: { key: "x".repeat(limits.metadataText + 1) } },
      { metadata: { "a key": "text" } },
      { metadata: { "": "text" } },
      { metadata: JSON.parse('{ "__proto__": "text" }') },
      { metadata: { key: 7 } },
      { metadata: { key: "\u0000" } },
      { metadata: "text" },
      { metadata: ["text"] },
      { externalId: "x".repeat(limits.externalId + 1) },
      { externalId: " " },
      { externalId: ".." },
      { externalId: 7 },
      { name: "Rex" }
    ]) {
      await rejectsWith("validation_failed", petstore.records.update("pets", id, untyped(update)))
    }
  },
  "another kind, and an id that is none, are invalid": async (petstore) => {
    await rejectsWith("validation_failed", petstore.records.get(untyped("inventory"), 1))
    await rejectsWith("validation_failed", petstore.records.get("pets", untyped("1")))
    await rejectsWith("validation_failed", petstore.records.update("pets", 0, { externalId: "A" }))
    await rejectsWith("validation_failed", petstore.records.getByExternalId("pets", ""))
    await rejectsWith("validation_failed", petstore.records.getByExternalId("pets", ".."))
  }
})
