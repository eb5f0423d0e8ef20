import type { HostTransaction, Petstore } from "@petstore/core"
import { type MethodInput, methodInputs } from "@petstore/core/domain"
import { inputCount } from "@petstore/core/remote"

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

const groups = Object.keys(methodInputs) as ReadonlyArray<keyof typeof methodInputs>

/** The methods of a group by their names, and what they take. */
const inputsOf = (group: keyof typeof methodInputs): Readonly<Record<string, MethodInput>> => methodInputs[group]

/** The list whose pages a method iterates over: `list` for `all`, `movements` for `allMovements`. */
const listOf = (name: string): string =>
  name === "all" ? "list" : name.replace(/^all(.)/, (_, first: string) => first.toLowerCase())

/** Waits for a response, which a transaction must not. */
const never = ["test"]

const collect = async (items: AsyncIterable<unknown>): Promise<ReadonlyArray<unknown>> => {
  const all: Array<unknown> = []
  for await (const item of items) all.push(item)
  return all
}

const inTransactions = <Group extends object>(
  group: Group,
  inputs: Readonly<Record<string, MethodInput>>,
  transact: Transact
): Group =>
  new Proxy(group, {
    get: (_, name) => {
      const command: unknown = Reflect.get(group, name)
      if (typeof command !== "function" || typeof name !== "string" || never.includes(name)) return command
      const place = inputCount(inputs[listOf(name)] ?? {})
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
  const wrapped = <Api extends Pick<Petstore, keyof typeof methodInputs>>(api: Api): Api => ({
    ...api,
    ...Object.fromEntries(groups.map((group) => [group, inTransactions(api[group], inputsOf(group), transact)]))
  })
  return { ...wrapped(petstore), as: (user) => wrapped(petstore.as(user)) }
}

/** The same petstore, but the transactions that its tests open are those of a host. */
export const withHostTransactions = (petstore: Petstore, transact: Transact): Petstore => ({
  ...petstore,
  // The argument of the body is used as the option `transaction`, and for nothing else.
  transaction: (body) => transact(body as unknown as Parameters<typeof transact>[0]) as never
})
