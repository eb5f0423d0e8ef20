import { assert } from "@effect/vitest"
import { InvalidIdempotencyKey, ValidationFailed } from "../../src/domain/errors/InputErrors.ts"
import type { MethodInput, MethodInputs } from "../../src/domain/MethodInput.ts"
import { methodInputs } from "../../src/domain/methodInputs.ts"
import { inputCount } from "../../src/petstore/methods.ts"

type Given = ReadonlyArray<unknown>

type Method = (...args: ReadonlyArray<unknown>) => unknown

interface Tried {
  /** Its name in messages. */
  readonly name: string
  readonly call: (...options: ReadonlyArray<unknown>) => unknown
  /** The options that it takes. */
  readonly options: ReadonlyArray<string>
}

const valid: Readonly<Record<string, unknown>> = {
  idempotencyKey: "once",
  ifVersion: 99,
  reserveFor: 1,
  signal: new AbortController().signal,
  transaction: {},
  bogus: true
}

const noVersions: ReadonlyArray<unknown> = [
  "1",
  null,
  true,
  ["1"],
  {},
  Number.NaN,
  1.5,
  [1, null],
  -1,
  [2, -1],
  2 ** 53,
  1n
]

const wrong: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  reserveFor: ["soon", -1, null],
  signal: ["now", {}, 1]
}

const methodOf = (api: unknown, path: string): Method => {
  const [last = "", ...groups] = path.split(".").reverse()
  const group = groups.reverse().reduce((at, name) => (at as Readonly<Record<string, object>>)[name] ?? {}, Object(api))
  const method: unknown = group[last]
  if (typeof method !== "function") throw new TypeError(`There is no ${path}`)
  return (...args) => method.apply(group, args)
}

const allOf = (list: string): string => (list === "list" ? "all" : `all${list.charAt(0).toUpperCase()}${list.slice(1)}`)

/** Every method of an API that takes resources, and those that iterate over pages. `shared`: the options of each of them. */
export const resourceMethods = (api: unknown, shared: ReadonlyArray<string>): ReadonlyArray<Tried> =>
  Object.entries<MethodInputs>(methodInputs).flatMap(([group, inputs]) =>
    Object.entries(inputs).flatMap(([method, input]) => {
      const name = `${group}.${method}`
      const options = [...shared, ...Object.keys(input.options ?? {})]
      const blanks = Array.from({ length: inputCount(input) }, () => undefined)
      const tried = { name, options, call: (...given: Given) => methodOf(api, name)(...blanks, ...given) }
      if (input.query === undefined) return [tried]
      const all = `${group}.${allOf(method)}`
      return [tried, { name, options, call: (...given: Given) => methodOf(api, all)(...blanks, ...given) }]
    })
  )

/** Other methods of an API, with how many arguments come before their options. */
export const otherMethods = (
  api: unknown,
  counts: Readonly<Record<string, number>>,
  shared: ReadonlyArray<string>
): ReadonlyArray<Tried> =>
  Object.entries(counts).map(([path, count]) => ({
    name: path === "events.all" ? "events.list" : path,
    options: shared,
    call: (...given) => methodOf(api, path)(...Array.from({ length: count }, () => undefined), ...given)
  }))

/** Checks that options are read wherever an object has them, and that nothing behind them is ignored. */
const assertRejectsAll = async (
  call: Tried["call"],
  name: string,
  options: ReadonlyArray<string>,
  failureOf: (result: () => unknown) => Promise<unknown>
): Promise<void> => {
  class Settings {
    get bogus() {
      return true
    }
  }
  for (const given of [Object.create({ bogus: true }), new Settings(), { [Symbol("bogus")]: true }]) {
    const expected = new RegExp(`^TypeError: ${name} (does not know the option .*bogus|takes an object of options)`)
    assert.match(String(await failureOf(() => call(given))), expected)
  }
  if (options.includes("signal")) {
    const signal = "of a prototype"
    assert.match(
      String(await failureOf(() => call(Object.create({ signal })))),
      /The option signal takes an AbortSignal/
    )
  }
  for (const more of [[{ ifVersion: 99 }], [undefined, 1]]) {
    const surplus = new RegExp(`^TypeError: ${name} takes .*nothing behind them, but was called with \\d arguments`)
    assert.match(String(await failureOf(() => call({}, ...more))), surplus)
    assert.match(String(await failureOf(() => call(undefined, ...more))), surplus)
  }
}

/** Checks that each method rejects each option that it does not take, and wrong values of the others, and names what it takes. */
export const assertRejectsOptions = async (
  methods: ReadonlyArray<Tried>,
  failureOf: (result: () => unknown) => Promise<unknown>
): Promise<void> => {
  for (const { call, name, options } of methods) {
    for (const [option, value] of Object.entries(valid)) {
      // It would wait for an event.
      if (name === "events.stream" && options.includes(option)) continue
      const failure = await failureOf(() => call({ [option]: value }))
      if (options.includes(option)) {
        assert.notMatch(String(failure), /does not know the option|takes none/, `${name} takes ${option}`)
        continue
      }
      // Those whose result has a secret reject a key with an error of the catalogue.
      if (option === "idempotencyKey" && failure instanceof InvalidIdempotencyKey) continue
      if (option === "transaction" && /remote petstore cannot join a transaction/.test(String(failure))) continue
      assert.instanceOf(failure, TypeError, `${name} with ${option}`)
      const [, before, , taken = ""] =
        /^TypeError: (\S+) does not know the option (\S+); it takes (.*)$/.exec(String(failure)) ?? []
      assert.strictEqual(before, name, `${failure}`)
      assert.sameMembers(
        taken.split(", ").filter((one) => one !== "none"),
        [...options],
        `${failure}`
      )
    }
    for (const option of options) {
      for (const value of wrong[option] ?? []) {
        const failure = await failureOf(() => call({ [option]: value }))
        assert.match(String(failure), new RegExp(`^TypeError: The option ${option} takes `), `${name} with ${option}`)
      }
    }
    for (const ifVersion of options.includes("ifVersion") ? noVersions : []) {
      const failure = await failureOf(() => call({ ifVersion }))
      assert.instanceOf(failure, ValidationFailed, name)
      assert.match(String(failure), /\/ifVersion(\/\d)?: Expected a version, a whole number from [01], or several/)
    }
    await assertRejectsAll(call, name, options, failureOf)
  }
}

/** What a call of a method that returns a promise, or something to iterate over, fails with; undefined if it does not. */
export const rejectionOf = async (call: () => unknown): Promise<unknown> => {
  try {
    const result = call()
    if (typeof result === "object" && result !== null && Symbol.asyncIterator in result) {
      await (result as AsyncIterable<unknown>)[Symbol.asyncIterator]().next()
    } else await result
    return undefined
  } catch (error) {
    return error
  }
}

const needsArgument = ({ body, bodyIsOptional, path }: MethodInput): boolean =>
  path !== undefined || (body !== undefined && bodyIsOptional !== true)

/** Checks that each method that needs an argument says which one is missing, and what to write. */
export const assertNamesMissing = async (
  api: unknown,
  failureOf: (result: () => unknown) => Promise<unknown>,
  groups: Readonly<Record<string, MethodInputs>> = methodInputs
): Promise<void> => {
  for (const [group, inputs] of Object.entries(groups)) {
    for (const [method, input] of Object.entries(inputs)) {
      if (!needsArgument(input)) continue
      const name = `${group}.${method}`
      const failure = await failureOf(() => methodOf(api, name)())
      assert.instanceOf(failure, ValidationFailed, name)
      assert.match(String(failure), new RegExp(`invalid. /[a-zA-Z/]+: Missing argument; write ${name}\\([a-z]`))
    }
  }
}

/** Checks that each method says of an option among the fields of its input whether it takes that, and which it takes. */
export const assertTellsOptionsFromFields = async (api: unknown): Promise<void> => {
  for (const [group, inputs] of Object.entries<MethodInputs>(methodInputs)) {
    for (const [method, input] of Object.entries(inputs)) {
      const { field, options = {} } = input
      if ((input.body === undefined || field !== undefined) && input.query === undefined) continue
      const name = `${group}.${method}`
      const own = Object.keys(options)
      const place = input.body === undefined ? "/query" : "/body"
      const given = { idempotencyKey: "a", ifVersion: 1, reserveFor: 1, signal: 1, transaction: 1 }
      const before = [...(input.kind === undefined ? [] : ["pets"]), ...(input.path === undefined ? [] : [1])]
      const failure = await rejectionOf(() => methodOf(api, name)(...before, given))
      const found = (failure as ValidationFailed).violations ?? []
      for (const option of Object.keys(given)) {
        const isTaken = own.includes(option) || ["signal", "transaction"].includes(option)
        const which = own.length === 0 ? "it has none of its own" : `those of its own are ${own.join(", ")}`
        const says = isTaken ? `${option} is an option of ${name}` : `${name} takes no ${option}`
        assert.deepInclude(
          found,
          {
            path: `${place}/${option}`,
            message: `Unknown field: ${says}. Options are its last argument; ${which}`
          },
          name
        )
      }
    }
  }
}
