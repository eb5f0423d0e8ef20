import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Failed, type FailureOf, Waiting, type Yielded } from "../kernel/Command.ts"
import type { Reads } from "../kernel/Transaction.ts"
import { type Asker, askedNow, asking, goOn } from "../ports/Direct.ts"
import type { Rows } from "../ports/Rows.ts"
import type { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"

/** What a query asks a store for. */
class Read<A> extends Waiting<A> {
  readonly rows: Effect.Effect<A, StorageError>

  constructor(rows: Effect.Effect<A, StorageError>) {
    super()
    this.rows = rows
  }
}

/** What a query asks for before it reads several times. */
class Together extends Waiting<void> {}

const readsOf = (rows: Rows): Reads => ({
  together: () => new Together(),
  find: (table, key) => new Read(rows.find(table, key)),
  findAll: (table, keys) => new Read(rows.findAll(table, keys)),
  first: (query, argument) => new Read(goOn(rows.select(query, argument, 1), ([row]) => Exit.succeed(row))),
  all: (query, argument, limit) => new Read(rows.select(query, argument, limit)),
  count: (query, argument, most) => new Read(rows.count(query, argument, most))
})

/**
 * Makes a function that runs queries on a store: at once, as far as it can, if it is known who asks. One that reads more than once runs in a
 * snapshot, so that all that it sees is of one state.
 */
export const readBy = (store: Storage["Service"]) => {
  const reads = readsOf(store)
  const read = <Y extends Yielded, A>(
    query: (rows: Reads) => Generator<Y, A, unknown>,
    asker?: Asker,
    isSnapshot = false
  ): Effect.Effect<A, FailureOf<Y> | StorageError> => {
    // An effect may run again, but a program runs once.
    if (asker === undefined) return asking((inside) => read(query, inside))
    const program = query(reads)
    let hasRead = false
    const advance = (answer?: unknown): Effect.Effect<A, FailureOf<Y> | StorageError> => {
      let step = program.next(answer)
      while (step.done !== true) {
        if (step.value instanceof Failed) return Exit.fail(step.value.error as FailureOf<Y>)
        if ((hasRead || step.value instanceof Together) && !isSnapshot)
          return store.snapshot(asking((inside) => read(query, inside, true)))
        if (step.value instanceof Together) {
          step = program.next()
          continue
        }
        hasRead = true
        const { rows } = step.value as unknown as Read<unknown>
        const asked = askedNow(rows, asker)
        if (!Exit.isExit(asked)) return goOn(asked, advance)
        if (Exit.isFailure(asked)) return asked as Exit.Exit<never, StorageError>
        step = program.next(asked.value)
      }
      return Exit.succeed(step.value)
    }
    return advance()
  }
  return read
}
