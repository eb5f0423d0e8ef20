import { Message, MessageId, NewMessage } from "@petstore/core/domain"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Errors, IdempotencyKey, Location, Marks, Scopes } from "./annotations.ts"
import { pageParameters } from "./parameters.ts"

const sendMessage = HttpApiEndpoint.post("sendMessage", "/messages", {
  disableCodecs: true,
  payload: NewMessage,
  success: Message.pipe(HttpApiSchema.status(202))
})
  .annotate(OpenApi.Summary, "Queue a message")
  .annotate(Scopes, ["messages:write"])
  .annotate(IdempotencyKey, "honoured")
  .annotate(Location, "/messages/:id")

const listMessages = HttpApiEndpoint.get("listMessages", "/messages", {
  disableCodecs: true,
  query: pageParameters,
  success: Schema.Array(Message)
})
  .annotate(OpenApi.Summary, "List messages")
  .annotate(Scopes, ["messages:read"])
  .annotate(Marks, { stability: "beta" })

const getMessage = HttpApiEndpoint.get("getMessage", "/messages/:messageId", {
  disableCodecs: true,
  params: { messageId: MessageId },
  success: Message
})
  .annotate(OpenApi.Summary, "Read a message")
  .annotate(Scopes, ["messages:read"])
  .annotate(Errors, ["not_found"])
  .annotate(Marks, { stability: "beta" })

/** The durable queue of messages. */
export class MessagesGroup extends HttpApiGroup.make("messages")
  .add(sendMessage, listMessages, getMessage)
  .annotate(OpenApi.Title, "Messages") {}
