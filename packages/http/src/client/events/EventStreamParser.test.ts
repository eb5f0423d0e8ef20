import { assert, describe, it } from "@effect/vitest"
import { EventStreamParser, type Frame } from "./EventStreamParser.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** What a parser finds in a text that comes in pieces of so many bytes. */
const framesOf = (text: string, size = Number.POSITIVE_INFINITY): ReadonlyArray<Frame> => {
  const [parser, all] = [new EventStreamParser(), bytes(text)]
  const step = Math.min(size, all.length)
  return Array.from({ length: Math.ceil(all.length / step) }, (_, index) =>
    parser.read(all.subarray(index * step, (index + 1) * step))
  ).flat()
}

const frame = (id: string, data: string | undefined): Frame => ({ id, data })

const streams: ReadonlyArray<readonly [what: string, text: string, frames: ReadonlyArray<Frame>]> = [
  ["all kinds of lines", 'retry: 1000\n\n:\n\nid: 1\nevent: pet.created\ndata: {"a":1}\n\n', [frame("1", '{"a":1}')]],
  ["lines that end with CR LF", "id: 1\r\ndata: x\r\n\r\nid: 2\r\ndata: y\r\n\r\n", [frame("1", "x"), frame("2", "y")]],
  ["lines that end with CR", "id: 1\rdata: x\r\rid: 2\rdata: y\r\r", [frame("1", "x"), frame("2", "y")]],
  ["mixed ends of lines", "id: 1\rdata: x\n\r\nid: 2\ndata: y\r\n\r", [frame("1", "x"), frame("2", "y")]],
  ["CR LF as one end, so that no line is empty", "id: 1\r\ndata: x\r\ndata: y\r\n\r\n", [frame("1", "x\ny")]],
  ["LF CR as two ends", "id: 1\ndata: x\n\rdata: y\n\r", [frame("1", "x"), frame("1", "y")]],
  ["a byte order mark at the beginning", "\uFEFFid: 1\ndata: x\n\n", [frame("1", "x")]],
  ["two byte order marks", "\uFEFF\uFEFFid: 1\ndata: x\n\n", [frame("", "x")]],
  ["a byte order mark of a later line", "data: x\n\uFEFFid: 1\n\n", [frame("", "x")]],
  ["characters of several bytes", "id: 1\ndata: 🐈é\u2028\u0085\n\n", [frame("1", "🐈é\u2028\u0085")]],
  ["comments", ": id: 1\n:data: y\ndata: x\n:\n\n", [frame("", "x")]],
  ["one blank after a colon", "data:x\ndata: y\ndata:  z\ndata:\tt\n\n", [frame("", "x\ny\n z\n\tt")]],
  ["colons in values", "id: a:b\ndata: c: d\n\n", [frame("a:b", "c: d")]],
  ["lines without a colon", "data\ndata\n\ndata\n\n", [frame("", "\n"), frame("", "")]],
  [
    "unknown fields, also by their case",
    "Data: y\nID: 1\n data: y\ndata : y\nfoo\nfoo: bar\ndata: x\n\n",
    [frame("", "x")]
  ],
  ["no data", "event: x\n\n\n\n:\n\n", []],
  ["an id without data", "id: 7\n\n", [frame("7", undefined)]],
  ["an id that holds on", "id: 7\ndata: x\n\ndata: y\n\nid: 7\n\n", [frame("7", "x"), frame("7", "y")]],
  ["an id that is taken back", "id: 7\ndata: x\n\nid\ndata: y\n\n", [frame("7", "x"), frame("", "y")]],
  ["several ids", "id: 1\nid: 2\ndata: x\n\n", [frame("2", "x")]],
  ["an id with NUL", "id: 1\nid: 2\0\ndata: x\n\n", [frame("1", "x")]],
  ["an end within a frame", "id: 1\ndata: x\n\nid: 2\ndata: y\n", [frame("1", "x")]],
  ["an end within a line", "data: x\n\ndata: y", [frame("", "x")]]
]

describe("given a stream of Server-Sent Events", () => {
  for (const [what, text, frames] of streams) {
    it(`when it has ${what}, then its frames are those of the HTML Standard, however it is cut`, () => {
      for (const size of [1, 2, 3, 4, 5, 7, text.length, Number.POSITIVE_INFINITY]) {
        assert.deepStrictEqual(framesOf(text, size), frames, `in pieces of ${size}`)
      }
    })
  }

  it("when a line ends with a carriage return, then its frame does not wait for what follows", () => {
    const parser = new EventStreamParser()
    assert.deepStrictEqual(parser.read(bytes("data: x\r\r")), [frame("", "x")])
    assert.deepStrictEqual(parser.read(bytes("\n")), [])
    assert.deepStrictEqual(parser.read(bytes("\ndata: y\n\n")), [frame("", "y")])
  })

  for (const [line, millis] of [
    ["retry: 250", 250],
    ["retry:0", 0],
    ["retry: 007", 7],
    ["retry", 99],
    ["retry: ", 99],
    ["retry:  250", 99],
    ["retry: 250 ", 99],
    ["retry: -1", 99],
    ["retry: 1.5", 99],
    ["retry: 1e3", 99],
    ["retry: 0x10", 99],
    ["retry: ١", 99],
    ["Retry: 250", 99]
  ] as const) {
    it(`when it has "${line}" after "retry: 99", then the reconnection time is ${millis} ms`, () => {
      const parser = new EventStreamParser()
      parser.read(bytes(`retry: 99\n${line}\n`))
      assert.strictEqual(parser.reconnectionTime, millis)
    })
  }

  for (const [what, piece] of [
    ["a line", "x".repeat(100_000)],
    ["the data of a frame", `data: ${"x".repeat(50_000)}\n`],
    ["the data of a frame, which is empty,", "data\n".repeat(100_000)]
  ] as const) {
    it(`when ${what} never ends, then it throws`, () => {
      const parser = new EventStreamParser()
      assert.throws(() => {
        for (let n = 0; n < 30; n++) parser.read(bytes(piece))
      }, RangeError)
    })
  }
})
