import { Message, MessageId, MessageStatus, NewMessage, plannedFor } from "@petstore/core/domain"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { message, texts } from "./examples.ts"
import { operation } from "./operation.ts"
import { pageParameters } from "./parameters.ts"

const sendMessage = operation("sendMessage", "POST", "/messages", {
  useCase: "messages.enqueue",
  payload: NewMessage,
  success: Message.pipe(HttpApiSchema.status(202)),
  scopes: ["messages:write"],
  idempotencyKey: "honoured",
  location: "/messages/:id"
})
export const sendMessageDocs = (): OperationDocs<typeof sendMessage> => ({
  summary: "Queue a message",
  description:
    "Queues a message for delivery. `queued` means that the message is stored durably, not that it was delivered.",
  request: { message: message.message },
  success: "The message was queued.",
  response: message,
  errors: [],
  stability: "stable"
})

const listMessages = operation("listMessages", "GET", "/messages", {
  useCase: "messages.list",
  query: pageParameters,
  success: Schema.Array(Message),
  scopes: ["messages:read"]
})
export const listMessagesDocs = (): OperationDocs<typeof listMessages> => ({
  summary: "List messages",
  description: "Returns a page of messages, oldest first.",
  success: "A page of messages.",
  response: [message],
  errors: [],
  stability: "beta"
})

const getMessage = operation("getMessage", "GET", "/messages/:messageId", {
  useCase: "messages.get",
  params: { messageId: MessageId },
  success: Message,
  scopes: ["messages:read"]
})
export const getMessageDocs = (): OperationDocs<typeof getMessage> => ({
  summary: "Get a message",
  description: "Returns a message and its delivery status.",
  success: "The message.",
  response: message,
  errors: ["not_found"],
  stability: "beta"
})

export const messagesDocs = () => ({
  parameters: { messageId: { description: "The message.", example: message.id } },
  schemas: [
    describeSchema(NewMessage, `The message to queue. ${texts.stored}`, {
      message: "The text of the message."
    }),
    describeSchema(Message, "A message in the durable queue.", {
      id: "Unique identifier assigned on creation. Ids increase from message to message.",
      message: "The text of the message.",
      status: "The delivery status of the message.",
      createdAt: "When the message was queued."
    }),
    describeSchema(
      MessageStatus,
      `\`queued\`: the message waits for delivery. \`delivered\`: it was delivered (from release ${plannedFor.delivered}). \`failed\`: delivery failed permanently (from release ${plannedFor.failed}).`
    )
  ]
})

/** The operations on the message queue. */
export class MessagesGroup extends HttpApiGroup.make("messages")
  .add(sendMessage, listMessages, getMessage)
  .annotate(OpenApi.Title, "Messages") {}
