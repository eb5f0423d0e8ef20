import type { HostTransaction, Petstore } from "@petstore/core"

/** Runs a body in a transaction of the host: commits it where the body succeeds, rolls it back where it fails. */
export type Transact = <A>(body: (transaction: HostTransaction) => Promise<A>) => Promise<A>

/** Lets one task after the other use what only one can. */
export const oneByOne = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <A>(task: () => Promise<A>): Promise<A> => {
    const next = last.then(task)
    last = next.catch(() => undefined)
    return next
  }
}

const groups = ["pets", "categories", "inventory", "orders", "messages", "accounts", "apiKeys", "webhooks"] as const

/** The commands that take two arguments before their options; the others take one. */
const withTwo = [
  ...["update", "set", "movements", "allMovements", "rotate"],
  ...["rotateSecret", "deliveries", "allDeliveries", "redeliver"]
]

/** Waits for a response, which a transaction must not. */
const never = ["test"]

const collect = async (items: AsyncIterable<unknown>): Promise<ReadonlyArray<unknown>> => {
  const all: Array<unknown> = []
  for await (const item of items) all.push(item)
  return all
}

const inTransactions = <Group extends object>(group: Group, transact: Transact): Group =>
  new Proxy(group, {
    get: (_, name) => {
      const command: unknown = Reflect.get(group, name)
      if (typeof command !== "function" || typeof name !== "string" || never.includes(name)) return command
      const place = withTwo.includes(name) ? 2 : 1
      const call = (args: ReadonlyArray<unknown>) => (transaction: HostTransaction) =>
        command(...Array.from({ length: place }, (_, index) => args[index]), {
          ...Object(args[place]),
          transaction
        })
      if (!name.startsWith("all")) return (...args: ReadonlyArray<unknown>) => transact(call(args))
      return async function* (...args: ReadonlyArray<unknown>) {
        yield* await transact((transaction) => collect(call(args)(transaction)))
      }
    }
  })

/** A petstore that runs each command in a transaction of the host which ends with it. */
export const inHostTransactions = (petstore: Petstore, transact: Transact): Petstore => {
  const wrapped = <Api extends Pick<Petstore, (typeof groups)[number]>>(api: Api): Api => ({
    ...api,
    ...Object.fromEntries(groups.map((group) => [group, inTransactions(api[group], transact)]))
  })
  return { ...wrapped(petstore), as: (user) => wrapped(petstore.as(user)) }
}
