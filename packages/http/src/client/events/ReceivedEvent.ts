import { Event, EventType } from "@petstore/core/domain"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { jsonDecoder } from "../jsonDecoder.ts"
import { parseJson } from "../RawResponse.ts"

const known: ReadonlySet<string> = new Set(EventType.literals)

/** An event of a type that this version of the client does not know. */
const NewerEvent = Schema.Struct({
  id: Schema.String,
  type: Schema.String.check(Schema.makeFilter((type: string) => !known.has(type) || "Expected the data of this type")),
  timestamp: Schema.String,
  seq: Schema.Int,
  subject: Schema.String,
  data: Schema.Record(Schema.String, Schema.Unknown)
})

/** An event as a server sends it: a newer one may send types that this version of the client does not know. */
export const ReceivedEvent = Schema.Union([...Event.members, NewerEvent])

const decode = jsonDecoder(ReceivedEvent)

/** The event in the data of a frame of Server-Sent Events, or what was found instead. */
export const readEvent = (data: string): Result.Result<unknown, string> => Result.flatMap(parseJson(data), decode)
