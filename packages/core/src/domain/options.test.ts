import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import {
  countOption,
  durationOption,
  functionOption,
  optionOf,
  optionsCheck,
  secretOption,
  signalOption
} from "./options.ts"

const check = optionsCheck(
  "connect",
  '{ to: "here" }',
  {
    to: optionOf("a place", (value) => value === "here"),
    key: secretOption("a key", (value) => value === "sesame"),
    timeout: durationOption,
    limit: countOption("a whole number of bytes, 1 or more", 1),
    onClose: functionOption("a function that is called at the end"),
    signal: signalOption,
    quiet: Schema.Boolean,
    free: Schema.Unknown
  },
  ["to"]
)

describe("given the check of options", () => {
  const wrong: ReadonlyArray<readonly [unknown, string]> = [
    [undefined, 'connect takes an object of options, such as { to: "here" }, not undefined'],
    [null, 'connect takes an object of options, such as { to: "here" }, not null'],
    ["here", 'connect takes an object of options, such as { to: "here" }, not "here"'],
    ...[
      [[check], "an array"],
      [Promise.resolve({ to: "here" }), "a promise: await it"],
      [new AbortController().signal, "an AbortSignal"],
      [new Map([["to", "here"]]), "a Map"]
    ].map(([value, text]): readonly [unknown, string] => [
      value,
      `connect takes an object of options, such as { to: "here" }, not ${text}`
    ]),
    [
      { to: "here", tiemout: 5, silent: true },
      "connect does not know the option tiemout, silent; did you mean timeout\\? It takes to, key, timeout, limit, onClose, signal, quiet, free"
    ],
    [
      { to: "here", [Symbol("to")]: "there" },
      "connect does not know the option Symbol\\(to\\); it takes to, key, timeout, limit, onClose, signal, quiet, free"
    ],
    [{}, "The option to takes a place, not undefined"],
    [{ to: undefined }, "The option to takes a place, not undefined"],
    [{ to: "x".repeat(41) }, "The option to takes a place, not a string of 41 characters"],
    [{ to: "here", key: "open" }, "The option key takes a key"],
    [{ to: "here", limit: 0 }, "The option limit takes a whole number of bytes, 1 or more, not 0"],
    [{ to: "here", limit: 1.5 }, "The option limit takes a whole number of bytes, 1 or more, not 1.5"],
    [{ to: "here", limit: [1] }, "The option limit takes a whole number of bytes, 1 or more, not an array"],
    [{ to: "here", onClose: {} }, "The option onClose takes a function that is called at the end, not an object"],
    [{ to: "here", signal: () => {} }, "The option signal takes an AbortSignal, not a function"],
    [{ to: "here", quiet: null }, "The option quiet takes true or false, not null"],
    [{ to: "here", key: Promise.resolve("sesame") }, "The option key takes a key, not a promise: await it"],
    [{ to: "here", key: 5 }, "The option key takes a key"],
    ...[
      [{}, "an object"],
      [{ minutes: 5, second: 1 }, "an object"],
      [Promise.resolve(5), "a promise: await it"],
      [new Date(5), "a Date"]
    ].map(([timeout, text]): readonly [unknown, string] => [
      { to: "here", timeout },
      `The option timeout takes a duration, such as "30 seconds", or a number of milliseconds, not ${text}`
    ]),
    ...["soon", -1, Number.NaN, true].map((timeout): readonly [unknown, string] => [
      { to: "here", timeout },
      `The option timeout takes a duration, such as "30 seconds", or a number of milliseconds, not ${typeof timeout === "string" ? JSON.stringify(timeout) : timeout}`
    ])
  ]
  for (const [options, message] of wrong) {
    it(`when it checks ${JSON.stringify(options)}, then it throws a TypeError with "${message}"`, () => {
      assert.throws(() => check(options), TypeError, new RegExp(`^${message.replace(/[{}.]/g, "\\$&")}$`))
    })
  }

  it("when all values are accepted, then it throws nothing", () => {
    check({ to: "here" })
    check({ to: "here", key: "sesame", timeout: "1 second", limit: 1, quiet: false, free: null })
    check(Object.assign(new (class Settings {})(), { to: "here" }))
    assert.deepStrictEqual(check(Object.create({ to: "here", quiet: true })), { to: "here", quiet: true })
    // Of what has no prototype itself.
    assert.deepStrictEqual(check(Object.create(Object.assign(Object.create(null), { to: "here" }))), { to: "here" })
    // The root of another realm has what somebody added to it, which is not an option.
    const root = Object.assign(Object.create(null), { hasOwnProperty: Object.hasOwn, added: 1 })
    assert.deepStrictEqual(check(Object.assign(Object.create(root), { to: "here" })), { to: "here" })
    optionsCheck("call", "{ signal }", { signal: signalOption })(new AbortController())
    for (const timeout of [0, 5n, [1, 500], "1 minute", { minutes: 5, seconds: 1 }, Duration.seconds(5)]) {
      check({ to: "here", timeout })
    }
    check({ to: "here", timeout: undefined, tiemout: undefined, onClose: check, signal: new AbortController().signal })
  })
})
