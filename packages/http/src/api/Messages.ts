import {
  limits,
  Message,
  MessageId,
  MessageRequeue,
  MessageStatus,
  MessagesRequeued,
  MessageWithDelivery,
  NewMessage
} from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { message, texts } from "./examples.ts"
import { operation } from "./operation.ts"
import { pageParameters, sortParameter } from "./parameters.ts"

const fields = {
  id: "Unique identifier assigned on creation. Ids increase from message to message.",
  message: "The text of the message.",
  status: "The delivery status of the message.",
  createdAt: "When the message was first queued."
}

const sendMessage = operation("sendMessage", "POST", "/messages", {
  useCase: "messages.enqueue",
  body: NewMessage,
  success: Message,
  status: 202,
  scopes: ["messages:write"],
  idempotencyKey: "honoured",
  location: "/messages/:id"
})
export const sendMessageDocs = (): OperationDocs<typeof sendMessage> => ({
  summary: "Queue a message",
  description:
    "Queues a message for delivery. `queued` means that the message is durable, not that it was delivered. The application that embeds this server delivers it, or a webhook whose `types` contain `message.queued`, and failed attempts are repeated. `GET /messages/{messageId}` shows how delivery goes; the events `message.delivered` and `message.failed` report its end.",
  request: { message: message.message },
  success: "The message was queued.",
  response: message,
  stability: "stable"
})

const listMessages = operation("listMessages", "GET", "/messages", {
  useCase: "messages.list",
  query: { ...sortParameter, status: Schema.optionalKey(MessageStatus), ...pageParameters },
  success: Schema.Array(MessageWithDelivery),
  scopes: ["messages:read"]
})
export const listMessagesDocs = (): OperationDocs<typeof listMessages> => ({
  summary: "List messages",
  description: "Returns a page of messages, oldest first.",
  query: {
    sort: { description: texts.sort, example: "-id" },
    status: { description: "Only messages with this status." }
  },
  success: "A page of messages.",
  response: [message],
  stability: "stable"
})

const getMessage = operation("getMessage", "GET", "/messages/:messageId", {
  useCase: "messages.get",
  params: { messageId: MessageId },
  success: MessageWithDelivery,
  scopes: ["messages:read"]
})
export const getMessageDocs = (): OperationDocs<typeof getMessage> => ({
  summary: "Get a message",
  description: "Returns a message, its delivery status, and the attempts at delivery.",
  success: "The message.",
  response: message,
  stability: "stable"
})

const requeueMessage = operation("requeueMessage", "POST", "/messages/:messageId/requeue", {
  useCase: "messages.requeue",
  params: { messageId: MessageId },
  success: MessageWithDelivery,
  scopes: ["messages:write"],
  repeatable: true
})
export const requeueMessageDocs = (): OperationDocs<typeof requeueMessage> => ({
  summary: "Queue a failed message again",
  description:
    "Queues a failed message again, for as many attempts at delivery as a new one. A message that is queued stays as it is.",
  success: "The message is queued.",
  response: message,
  stability: "stable"
})

const requeueMessages = operation("requeueMessages", "POST", "/messages/requeue", {
  useCase: "messages.requeueAll",
  body: MessageRequeue,
  success: MessagesRequeued,
  scopes: ["messages:write"],
  repeatable: true
})
export const requeueMessagesDocs = (): OperationDocs<typeof requeueMessages> => ({
  summary: "Queue failed messages again",
  description: `Queues all failed messages again, the oldest first. A request covers ${limits.requeues} messages at most: continue with \`next\` as \`after\` until it is absent.`,
  request: { status: "failed" },
  success: "The messages are queued.",
  response: { requeued: 12 },
  stability: "beta"
})

const deleteMessage = operation("deleteMessage", "DELETE", "/messages/:messageId", {
  useCase: "messages.delete",
  params: { messageId: MessageId },
  scopes: ["messages:write"],
  idempotencyKey: "honoured"
})
export const deleteMessageDocs = (): OperationDocs<typeof deleteMessage> => ({
  summary: "Delete a message",
  description:
    "Deletes a message, whatever its status. It is not delivered any more, except by webhooks that receive its event `message.queued`.",
  success: "The message was deleted.",
  stability: "beta"
})

export const messagesDocs = () => ({
  parameters: {
    messageId: {
      description: "The message, by its `id` in the response that queued it, which cannot be known in advance.",
      example: message.id
    }
  },
  schemas: [
    describeSchema(NewMessage, `The message to queue. ${texts.stored}`, {
      message: "The text of the message."
    }),
    describeSchema(Message, "A message in the durable queue.", fields),
    describeSchema(MessageWithDelivery, "A message in the durable queue, and how its delivery goes.", {
      ...fields,
      attempts: "How many attempts at delivery have begun since the message was last queued. Absent before the first.",
      nextAttemptAt: "When the next attempt begins, after a failed attempt.",
      deliveredAt: "When the message was delivered.",
      failedAt: "When delivery failed permanently.",
      lastError: "Why the last attempt failed. Absent once the message is delivered."
    }),
    describeSchema(MessageRequeue, "Which messages to queue again.", {
      status: "Those that have failed.",
      after: "Those behind this message. Default: from the oldest."
    }),
    describeSchema(MessagesRequeued, "What was queued again.", {
      requeued: "The number of messages.",
      next: "Where to continue: send it as `after`. Absent if there are no more."
    }),
    describeSchema(
      MessageStatus,
      "`queued`: the message waits for delivery. `delivered`: it was delivered. `failed`: delivery failed permanently; the message can be queued again."
    )
  ]
})

export const messagesOperations = {
  tag: "Messages",
  operations: [sendMessage, listMessages, getMessage, requeueMessage, requeueMessages, deleteMessage]
}
