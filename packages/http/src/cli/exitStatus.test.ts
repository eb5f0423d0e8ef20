import { assert, describe, it } from "@effect/vitest"
import {
  CommitUnknown,
  InternalError,
  NotFound,
  StorageFull,
  StorageUnavailable,
  ValidationFailed
} from "@petstore/core/domain"
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Exit from "effect/Exit"
import { Stopped, SubcommandFailed, UsageError } from "./errors.ts"
import { type ExitStatus, exitStatusOf, sentence } from "./exitStatus.ts"

const endings: Readonly<Record<string, readonly [unknown, ExitStatus]>> = {
  "a wrong argument": [new UsageError({ message: "There is no file" }), { code: 2, message: "There is no file." }],
  "a wrong call that was shown already": [
    new CliError.ShowHelp({ commandPath: ["petstore"], errors: [] }),
    { code: 2 }
  ],
  "a bad setting": [new CliError.ValidationError({ message: "PORT takes" }), { code: 2, message: "PORT takes." }],
  "an invalid input": [
    ValidationFailed.of([{ path: "/body/name", message: "Expected at least one character" }]),
    { code: 2, message: "The input is invalid. /body/name: Expected at least one character." }
  ],
  "a refusal": [NotFound.of("API key", 7), { code: 1, message: "There is no API key 7." }],
  "a full disk": [
    new StorageFull({}),
    { code: 1, message: "The store has no room left. Nothing was changed; free some space and try again." }
  ],
  "a server that is read-only": [
    new StorageUnavailable({}, { cause: new Error("cannot execute INSERT in a read-only transaction") }),
    {
      code: 1,
      message: "The store cannot be written to. Nothing was changed. cannot execute INSERT in a read-only transaction."
    }
  ],
  "an internal error": [
    new InternalError({}, { cause: new Error("disk I/O error") }),
    { code: 1, message: "Internal error. Nothing was changed. The log has the cause. disk I/O error." }
  ],
  "an internal error that says itself what it is": [
    new InternalError({}, { message: "Cannot use x.db", cause: new Error("no") }),
    { code: 1, message: "Cannot use x.db." }
  ],
  "an unknown expected": [new CommitUnknown({}), { code: 1, message: new CommitUnknown({}).message }],
  "a failure that was shown already": [new SubcommandFailed({}), { code: 1 }],
  "a failure": [new SubcommandFailed({ message: "Reading\nstopped" }), { code: 1, message: "Reading stopped." }],
  SIGINT: [new Stopped({ signal: "SIGINT", message: "Half" }), { code: 130, message: "Half." }],
  SIGTERM: [new Stopped({ signal: "SIGTERM" }), { code: 143 }]
}

describe("the end of a command", () => {
  for (const [name, [error, expected]] of Object.entries(endings)) {
    it(`given ${name}, then the exit code is ${expected.code}`, () => {
      assert.deepStrictEqual(exitStatusOf(Exit.fail(error)), expected)
    })
  }

  it("given success, then the exit code is 0 without a message", () => {
    assert.deepStrictEqual(exitStatusOf(Exit.succeed("done")), { code: 0 })
  })

  it("given a bug, then the exit code is 1, and the message has the stack", () => {
    const { code, message } = exitStatusOf(Exit.failCause(Cause.die(new Error("a bug"))))
    assert.strictEqual(code, 1)
    assert.match(message ?? "", /a bug\n +at .*exitStatus\.test/)
  })
})

describe("a sentence", () => {
  for (const [text, expected] of [
    ["Two\r\nlines", "Two lines."],
    ["A question?", "A question?"],
    ["\u001b[31mRed", "[31mRed."],
    ["  blanks  around ", "blanks around."]
  ] as const) {
    it(`given ${JSON.stringify(text)}, then it is ${JSON.stringify(expected)}`, () => {
      assert.strictEqual(sentence(text), expected)
    })
  }
})
