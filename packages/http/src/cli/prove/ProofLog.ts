import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { UsageError } from "../errors.ts"

/** What a call asks the cluster to do. */
const Command = Schema.Union([
  Schema.Struct({ type: Schema.Literal("place"), petId: Schema.Int, quantity: Schema.Int }),
  Schema.Struct({ type: Schema.Literal("complete"), orderId: Schema.Int }),
  Schema.Struct({ type: Schema.Literal("cancel"), orderId: Schema.Int }),
  Schema.Struct({ type: Schema.Literal("receive"), petId: Schema.Int, units: Schema.Int })
])
export type Command = typeof Command.Type

const firstShipDate = Date.parse("2100-01-01T00:00:00.000Z")

/** The ship date of the order of a call, which no other call uses: two orders with it are two effects of one key. */
export const shipDateOf = (call: number): string => new Date(firstShipDate + call).toISOString()

/** The call to which an order belongs; undefined if it belongs to none. */
export const callOfShipDate = (shipDate: string | undefined): number | undefined => {
  const call = Date.parse(shipDate ?? "") - firstShipDate
  return call > 0 ? call : undefined
}

/** What the cluster acknowledged. */
export const Acknowledgement = Schema.Struct({
  orderId: Schema.optionalKey(Schema.Int),
  /** Of the stock to which units were added. */
  version: Schema.optionalKey(Schema.Int)
})
export type Acknowledgement = typeof Acknowledgement.Type

const number = { call: Schema.Int, at: Schema.Number }

const Start = Schema.Struct({ type: Schema.Literal("start"), proof: Schema.String, schema: Schema.String })

const Entry = Schema.Union([
  /** `units` are those in stock before the first call. */
  Schema.Struct({ type: Schema.Literal("pet"), petId: Schema.Int, units: Schema.Int }),
  /** Written before the first attempt of a call. `at` is in milliseconds. */
  Schema.Struct({ type: Schema.Literal("call"), ...number, command: Command }),
  /** An attempt that failed; the call is repeated with its key. */
  Schema.Struct({ type: Schema.Literal("failed"), ...number, code: Schema.String }),
  /** Written before the next call of the same client. */
  Schema.Struct({ type: Schema.Literal("acknowledged"), ...number, value: Acknowledgement }),
  /** Rejected: the call has no effect, and is not repeated. */
  Schema.Struct({ type: Schema.Literal("rejected"), ...number, code: Schema.String })
])
export type Entry = typeof Entry.Type

/** A proof: which one, on which schema, and what its clients saw. */
export interface Proof {
  readonly proof: string
  readonly schema: string
  readonly entries: ReadonlyArray<Entry>
}

/** The permissions of the file, which describes a database. */
const ownerOnly = 0o600

/** A file to which each entry is written at once, so that it has them all however this process ends. */
export class ProofLog {
  readonly file: string
  private readonly descriptor: number

  /** Throws a UsageError if the file exists, or cannot be written. */
  constructor(file: string) {
    this.file = file
    try {
      this.descriptor = openSync(file, "ax", ownerOnly)
    } catch (cause) {
      const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST"
      throw new UsageError({
        message: isThere
          ? `${JSON.stringify(file)} exists already; check it with --resume, or name a new file with --log`
          : `${JSON.stringify(file)} cannot be written; name another file with --log`
      })
    }
  }

  start(proof: string, schema: string): void {
    this.write({ type: "start", proof, schema } satisfies typeof Start.Type)
  }

  add(entry: Entry): void {
    this.write(entry)
  }

  close(): void {
    closeSync(this.descriptor)
  }

  private write(entry: object): void {
    writeSync(this.descriptor, `${JSON.stringify(entry)}\n`)
  }
}

const startIn = Schema.decodeUnknownOption(Schema.fromJsonString(Start))
const entryIn = Schema.decodeUnknownOption(Schema.fromJsonString(Entry))

/** Reads the text of a log. A line that was cut by the end of the process does not count. Throws a UsageError if it is not a log. */
export const parseProof = (file: string, text: string): Proof => {
  const [first = "", ...lines] = text.split("\n").slice(0, -1)
  const start = Option.getOrUndefined(startIn(first))
  const refuse = (line: number) =>
    new UsageError({ message: `${JSON.stringify(file)} is not a log of petstore prove: see its line ${line}` })
  if (start === undefined) throw refuse(1)
  const entries = lines.map((line, index) => Option.getOrThrowWith(entryIn(line), () => refuse(index + 2)))
  return { proof: start.proof, schema: start.schema, entries }
}

/** Reads a log. Throws a UsageError if there is none in this file. */
export const readProof = (file: string): Proof => {
  let text: string
  try {
    // To read a pipe might take for ever.
    if (!statSync(file).isFile()) throw new Error("It is no file")
    text = readFileSync(file, "utf8")
  } catch {
    throw new UsageError({ message: `${JSON.stringify(file)} cannot be read; name the log of a proof with --resume` })
  }
  return parseProof(file, text)
}
