import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Place, test } from "../../../test/support/cliTest.ts"

/** 20 invented pets. */
const sample = ({ output }: Place) => output("import", "--sample")

describe("petstore import --adjust", () => {
  test("given adjustments in CSV, then all of them take effect, once for a file", (place) =>
    Effect.gen(function* () {
      const { output, run, write } = place
      yield* sample(place)
      const file = write(
        "delivery.csv",
        "petId,delta,reason,reference,occurredAt,shelf\r\n1,+5,received,D-4711,2026-05-04T09:15:00Z,A\r\n\r\n1,-1,damaged,,,B\r\n"
      )
      assert.strictEqual(yield* output("import", "--adjust", file, "--dry-run"), "would make 2 adjustments")
      assert.strictEqual(yield* output("import", "--adjust", file), "made 2 adjustments")
      const again = yield* run("import", "--adjust", file)
      assert.deepStrictEqual([again.code, again.stdout], [1, []])
      assert.match(again.stderr.join(), /took effect before/)
      assert.strictEqual(yield* output("import", "--adjust", file, "--again"), "made 2 adjustments")
      assert.match(yield* output("verify"), /^0 violations/)
    }))

  test("given one row that is rejected, then none takes effect, and the message names its line", (place) =>
    Effect.gen(function* () {
      const { output, run, write } = place
      yield* sample(place)
      for (const [text, code, message] of [
        [
          "petId,delta,reason\n1,5,received\n\n99999,1,received\n",
          1,
          /^petstore: Line 4: .*99999.* Nothing was adjusted\.$/
        ],
        [
          "petId,delta,reason\n1,5,received\n1,many,found\n",
          2,
          /Line 3: delta: .*Line 3: reason: .*Nothing was adjusted\.$/
        ],
        ["petId,delta\n1,5\n", 2, /reason is missing/],
        ["petId,delta,reason\n1,5\n", 2, /Line 2: it has 2 fields, not 3/],
        ["petId,delta,reason\n", 2, /no adjustments/],
        [`petId,delta,reason\n${"1,1,received\n".repeat(1_001)}`, 2, /more than 1000 adjustments/]
      ] as const) {
        const ended = yield* run("import", "--adjust", write("wrong.csv", text))
        assert.strictEqual(ended.code, code, text.slice(0, 60))
        assert.match(ended.stderr.join(), message)
      }
      assert.strictEqual(
        yield* output("import", "--adjust", write("right.ndjson", '{"petId":1,"delta":1,"reason":"received"}\n')),
        "made 1 adjustment"
      )
      assert.strictEqual(
        yield* output("import", "--adjust", write("right.json", '[{"petId":1,"delta":2,"reason":"received"}]')),
        "made 1 adjustment"
      )
    }))

  test("given flags that are for pets, then it is a usage error", ({ run, write }) =>
    Effect.gen(function* () {
      const file = write("delivery.csv", "petId,delta,reason\n1,5,received\n")
      for (const flags of [["--strict"], ["--column", "name=a"], ["--from-line", "2"]]) {
        const { code, stderr } = yield* run("import", "--adjust", file, ...flags)
        assert.strictEqual(code, 2)
        assert.match(stderr.join(), /--adjust takes only FILE/)
      }
    }))
})
