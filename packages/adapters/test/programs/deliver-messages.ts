// Delivers the messages of a store, `sqlite:FILE` or `postgres:URL`. Writes each step without buffering. The second argument is
// where it stops, until it is killed: `begin` before the handler has an effect, `effect` before the handler returns,
// `acknowledging` before the commit of the acknowledgement, `acknowledged` behind it. With `late` the handler returns when a line
// comes in; until then the lease is not extended, and nothing else is claimed, as in a process that is suspended.

import { once } from "node:events"
import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import type { MessageRecord } from "@petstore/core/domain"
import type { Write } from "@petstore/core/kernel"
import { Storage, type StorageAdapter } from "@petstore/core/ports"
import { messages } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { noticed } from "../../../core/test/support/writes.ts"
import { writeLine } from "../support/writeLine.ts"

const [, , storage = "", stop = ""] = process.argv
const [kind, place] = [storage.slice(0, storage.indexOf(":")), storage.slice(storage.indexOf(":") + 1)]

/** Writes a step, and goes no further if it is the last one. */
const reach = async (step: string): Promise<void> => {
  writeLine(step)
  if (step.split(" ", 1)[0] === stop) await new Promise(() => {})
}

/** The same in a transaction, which can wait for nothing: the test kills the process while this stands still. */
const stand = new Int32Array(new SharedArrayBuffer(4))
const reachInside = (): void => {
  writeLine("acknowledging")
  if (stop === "acknowledging") Atomics.wait(stand, 0, 0)
}

/** With `late`: the line at which the handler returns, once it was called. */
let returning: Promise<unknown> | undefined

/** Whether a write makes a message a delivered one. */
const isDelivery = (write: Write): boolean =>
  "table" in write && write.table === messages.name && (write.row as MessageRecord).status === "delivered"

/** The store, of which the steps of an acknowledgement are seen. */
const observed = ({ layer, ...adapter }: StorageAdapter): StorageAdapter => ({
  ...adapter,
  layer: Layer.effect(
    Storage,
    Effect.map(Storage, (whole) => ({
      ...whole,
      run: (begin, command) => {
        if (command === "messages.extend" && stop === "late") return Effect.never
        if (command === "messages.claim" && returning !== undefined) {
          const line = returning
          return Effect.andThen(
            Effect.promise(() => line),
            whole.run(begin, command)
          )
        }
        let isRecorded = false
        const seen: typeof begin = (tx, context) =>
          noticed(tx, begin(tx, context), (writes) => {
            isRecorded = writes.some(isDelivery)
            if (isRecorded) reachInside()
          })
        const outcome = whole.run(seen, command)
        if (command !== "messages.finish") return outcome
        return Effect.tap(outcome, () => Effect.promise(() => reach(isRecorded ? "acknowledged" : "refused")))
      }
    }))
  ).pipe(Layer.provide(layer))
})

const petstore = await createPetstore({
  storage: observed(kind === "sqlite" ? sqlite(place) : postgres(place)),
  onMessage: async ({ message }, { attempt, fence }) => {
    if (stop === "late") returning = once(process.stdin, "data")
    await reach(`begin ${message} ${attempt} ${fence}`)
    await reach(`effect ${message}`)
    await returning
  }
})
writeLine("open")
process.stdin.once("end", () => void petstore.close()).resume()
