// What tests import instead of vitest: it keeps what they register, so that a case can run often.
export * from "vitest"

type Body = (...args: ReadonlyArray<unknown>) => unknown
type Args = readonly [name: string, ...rest: ReadonlyArray<unknown>]

/** A case of a contract or of a unit test. */
export interface Case {
  /** The group of the contract, or the file of tests. */
  readonly unit: string
  readonly name: string
  readonly run: (context: { readonly signal: AbortSignal; readonly onTestFinished: () => void }) => unknown
}

export const cases: Array<Case> = []
const path: Array<string> = []
let unit = ""

/** The cases that are registered from now on are of this unit. */
export const collectFor = (name: string): void => {
  unit = name
}

const skip = () => {}
const isBody = (value: unknown): value is Body => typeof value === "function"
const bodyOf = ([, ...rest]: Args): Body => rest.find(isBody) ?? skip

const add = (...args: Args): void => {
  cases.push({ unit, name: [...path, args[0]].join(" > "), run: bodyOf(args) })
}

const addEach =
  (rows: ReadonlyArray<unknown>) =>
  (...args: Args): void => {
    const body = bodyOf(args)
    for (const row of rows) add(args[0], (context: unknown) => body(row, context))
  }

export const it = Object.assign(add, { each: addEach, for: addEach })

const group = (...args: Args): void => {
  path.push(args[0])
  bodyOf(args)()
  path.pop()
}
export const describe = Object.assign(group, { runIf: (condition: unknown) => (condition ? group : skip) })

// They keep logs from being printed, and nobody reads what a worker prints.
export const beforeAll = skip
export const afterAll = skip
