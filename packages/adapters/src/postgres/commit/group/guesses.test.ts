import { describe, expect, it } from "@effect/vitest"
import { CommitUnknown } from "@petstore/core/domain"
import * as tables from "@petstore/core/tables"
import { petRow, type Scripted } from "../../../../test/support/scriptedConnection.ts"
import {
  both,
  type Command,
  draft,
  error,
  refusal,
  reserve as reserveSilently,
  runGroup,
  settings,
  value
} from "../../../../test/support/scriptedGroup.ts"

/** Reserves a unit of a pet, as the ledger numbers it. */
const reserve = (id: number): Command<number> =>
  function* (tx) {
    const reserved = yield* reserveSilently(id)(tx)
    const pet = yield* tx.lock(tables.pets, id)
    if (pet !== undefined) tx.save(tables.pets, { ...pet, lastMovement: pet.lastMovement + 1 })
    return reserved
  }

const milestones = /^WITH guess|^BEGIN|FOR NO KEY UPDATE$|^COMMIT|^ROLLBACK/

/** What is sent for a lone command after another one, on a connection that has just had a result. */
const afterOne = async (
  command: Command,
  { script = [], ...more }: { readonly script?: ReadonlyArray<Scripted>; readonly lastResult?: number } = {}
) => {
  const shared = settings()
  await runGroup([both(draft, reserve(1))], { shared })
  const group = await runGroup([command], { shared, script, lastResult: performance.now(), ...more })
  return { ...group, shared, sent: group.connection.matching(milestones) }
}

const inOneFlight = ["1: WITH guess"]
const inTwoFlights = ["1: BEGIN", "1: FOR NO KEY UPDATE", "2: COMMIT"]

const changed: Scripted = { when: /^WITH guess/, rows: [{ guessed: false, numbered: false }] }

describe("given a lone command whose rows the store knows", () => {
  it("when it changes them, then one statement in one flight compares, locks and writes", async () => {
    const { connection, group, sent, verdicts } = await afterOne(both(draft, reserve(1)))
    expect([sent, verdicts.map(value), group.committed]).toEqual([inOneFlight, [2], true])
    expect(connection.sent).toHaveLength(1)
  })

  it("when nearly every key of a row is new, then it is taken for new", async () => {
    const keyed: Command<number> = function* (tx) {
      const record = yield* tx.lock(tables.idempotencyKeys, '1,"k"')
      return record === undefined ? yield* reserve(1)(tx) : -1
    }
    const { sent, verdicts } = await afterOne(keyed)
    expect([sent, verdicts.map(value)]).toEqual([inOneFlight, [2]])
  })

  it.each<readonly [string, Command, unknown]>([
    [
      "wants another row too",
      function* (tx) {
        yield* tx.lock(tables.orders, 7)
        return yield* reserve(1)(tx)
      },
      1
    ],
    [
      "changes nothing",
      function* (tx) {
        return (yield* tx.lock(tables.pets, 1))?.id
      },
      1
    ],
    ["makes a change that others may take back", reserveSilently(1), 1],
    ["is rejected", both(reserve(1), refusal), undefined]
  ])("when it %s, then it locks first", async (_, command, expected) => {
    const { connection, sent, verdicts } = await afterOne(command)
    expect([...new Set(sent)]).toEqual(inTwoFlights)
    expect(connection.matching(/^WITH guess/)).toEqual([])
    if (expected === undefined) expect(error(verdicts[0])).toBe("no")
    else expect(verdicts.map(value)).toEqual([expected])
  })

  it("when the connection has had no result for a while, then it locks first, and runs again if the connection is lost", async () => {
    const cut = { when: /^BEGIN/, error: new Error("Connection terminated unexpectedly") }
    const { sent, verdicts } = await afterOne(reserve(1), { lastResult: performance.now() - 2000, script: [cut] })
    expect([sent.slice(0, 1), verdicts]).toEqual([["1: BEGIN"], [{ type: "again" }]])
  })

  it("when others run with it, then they lock first", async () => {
    const { connection } = await runGroup([reserve(1), reserve(1)], { lastResult: performance.now() })
    expect(connection.matching(milestones)).toEqual(inTwoFlights)
  })
})

describe("given a lone command that was written on what is no longer so", () => {
  it("when a row has changed, then it runs again on the row as it is, with the same ids", async () => {
    const rows = [{ ...petRow(1), reserved: 5 }]
    const { sent, shared, verdicts } = await afterOne(both(draft, reserve(1)), {
      script: [changed, { when: /FROM "petstore".petstore_pets/, rows }]
    })
    expect([sent, verdicts.map(value)]).toEqual([
      ["1: WITH guess", "2: BEGIN", "2: FOR NO KEY UPDATE", "3: COMMIT"],
      [6]
    ])
    expect((await runGroup([draft], { shared })).verdicts.map(value)).toEqual([103])
  })

  it("when that happens, then the next ones lock first; when guesses are right again, then no more", async () => {
    const shared = settings()
    await runGroup([reserve(1)], { shared })
    const flights: Array<number> = []
    for (const script of [[changed], [], [], [], []]) {
      const { connection } = await runGroup([reserve(1)], { shared, script, lastResult: performance.now() })
      flights.push(connection.sent.at(-1)?.flight ?? 0)
    }
    expect(flights).toEqual([3, 2, 2, 1, 1])
  })

  it("when the server rejects the statement, then it runs in the usual way", async () => {
    const taken = { when: /^WITH guess/, error: Object.assign(new Error("duplicate key"), { code: "23505" }) }
    const { sent, verdicts } = await afterOne(reserve(1), { script: [taken] })
    expect([sent.at(-1), verdicts.map(value)]).toEqual(["3: COMMIT", [1]])
  })

  it.each<readonly [string, Scripted]>([
    ["the connection is lost", { when: /^WITH guess/, error: new Error("Connection terminated unexpectedly") }],
    ["a warning comes with the result", { when: /^WITH guess/, rows: [{ guessed: true }], warning: "canceled" }]
  ])("when %s, then the outcome is unknown, and the ids are forgotten", async (_, scripted) => {
    const { connection, shared, verdicts } = await afterOne(both(draft, reserve(1)), { script: [scripted] })
    expect(error(verdicts[0])).toBeInstanceOf(CommitUnknown)
    expect([connection.broken, shared.ids.orders?.take(1)]).toEqual([true, undefined])
  })
})

describe("given a lone command that was lost in its only flight", () => {
  const sold = { ...petRow(1), reserved: 1, last_movement: petRow(1).last_movement + 1 }
  const lost = { when: /^WITH guess/, error: new Error("Connection terminated unexpectedly") }

  it.each<readonly [string, Command, ReturnType<typeof petRow> & { reserved: number }, unknown]>([
    ["its rows are as they were, then it runs again, and what was lost does nothing from then on", reserve(1), sold, 2],
    ["a row has changed, then its outcome stays unknown", reserve(1), { ...petRow(1), reserved: 2 }, undefined],
    ["it would change nothing, then its outcome stays unknown", refusal, sold, undefined]
  ])("when %s", async (_, again, row, expected) => {
    const first = await afterOne(reserve(1), { script: [lost] })
    const { connection, verdicts } = await runGroup([again], {
      shared: first.shared,
      script: [{ when: /FROM "petstore".petstore_pets/, rows: [row] }],
      lastResult: performance.now(),
      doubt: first.group.inDoubt
    })
    expect(connection.matching(/^WITH guess/)).toEqual([])
    expect(connection.sent.at(-1)?.text).toBe(expected === undefined ? "ROLLBACK" : "COMMIT")
    expect(verdicts.map(value)).toEqual(expected === undefined ? [{ type: "alone", isIrregular: false }] : [expected])
  })

  it("when the server lacks memory for the other run, then its outcome stays unknown", async () => {
    const first = await afterOne(reserve(1), { script: [lost] })
    const cause = Object.assign(new Error("out of shared memory"), { code: "53200" })
    const { verdicts } = await runGroup([reserve(1)], {
      shared: first.shared,
      script: [{ when: /FROM "petstore".petstore_pets/, error: cause }],
      doubt: first.group.inDoubt
    })
    expect(verdicts).toEqual([{ type: "alone", isIrregular: false }])
  })
})
