import { assert, describe, it } from "@effect/vitest"
import { EventStreamParser } from "./EventStreamParser.ts"

const text =
  'retry: 1000\n\n:\n\nid: 1\nevent: pet.created\ndata: {"a":1}\n\nid: 2\r\ndata:x\r\ndata: y\r\n\r\nid: 7\n\nfoo\nid\n\n'

const frames = [
  { id: "1", data: '{"a":1}' },
  { id: "2", data: "x\ny" },
  { id: "7", data: undefined },
  { id: "", data: undefined }
]

describe("given a stream of Server-Sent Events", () => {
  for (const size of [1, 2, 3, 7, text.length]) {
    it(`when it comes in pieces of ${size} characters, then its frames are the same`, () => {
      const parser = new EventStreamParser()
      const found = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        parser.read(text.slice(index * size, (index + 1) * size))
      )
      assert.deepStrictEqual(found.flat(), frames)
    })
  }

  it("when it ends within a frame, then that frame is not returned", () => {
    assert.deepStrictEqual(new EventStreamParser().read("id: 1\ndata: x\n"), [])
  })

  it("when a line never ends, then it throws", () => {
    const parser = new EventStreamParser()
    const piece = "x".repeat(100_000)
    assert.throws(() => {
      for (let n = 0; n < 20; n++) parser.read(piece)
    }, RangeError)
  })
})
