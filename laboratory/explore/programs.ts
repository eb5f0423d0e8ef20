import type { StorageAdapter } from "@petstore/core"
import { type Hasher, type RunCommand, Storage } from "@petstore/core/ports"
import type { Store } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { seededHasher } from "../../packages/core/testing/src/seededHasher.ts"
import type { Program } from "./RunningCommand.ts"

/** The programs of the calls of a petstore, which are noted instead of run. */
export class Programs {
  private store: Store | undefined
  private noted: Array<Omit<Program, "name">> | undefined
  private readonly seeded = seededHasher(1)
  /** A program that runs again has the secrets that it had before: they are no difference between two outcomes. */
  private readonly hasher: Hasher["Service"] = {
    ...this.seeded,
    randomBytes: (length) => (this.isExplored ? new Uint8Array(length) : this.seeded.randomBytes(length))
  }
  private isExplored = false

  /** The same adapter, whose commands can be noted. */
  on(adapter: StorageAdapter): StorageAdapter {
    const layer = Layer.effect(
      Storage,
      Effect.gen({ self: this }, function* () {
        const store = Context.get(yield* Layer.build(adapter.layer), Storage)
        this.store = store
        const run: RunCommand = (begin, command) => {
          if (this.noted === undefined) return (store.run as RunCommand)(begin, command)
          const { noted } = this
          return Effect.withFiber(({ context }) => {
            noted.push({ begin: (transaction) => begin(transaction, context), command })
            return Effect.interrupt
          })
        }
        return { ...store, run }
      })
    )
    return { ...adapter, layer, hasher: this.hasher }
  }

  get opened(): Store {
    if (this.store === undefined) throw new Error("The petstore is not open")
    return this.store
  }

  /** The program of a call. */
  async of(name: string, call: () => Promise<unknown>): Promise<Program> {
    this.noted = []
    this.isExplored = true
    const failure = await call().then(
      () => undefined,
      (error: unknown) => ({ error })
    )
    const [program, ...others] = this.noted
    this.noted = undefined
    if (program !== undefined && others.length === 0) return { name, ...program }
    if (program === undefined && failure !== undefined) throw failure.error
    throw new TypeError(
      `The command ${JSON.stringify(name)} of explore must make one call that changes something, not ${program === undefined ? "none" : "several"}`
    )
  }
}
