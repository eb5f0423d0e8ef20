import * as Effect from "effect/Effect"
import { assertEqual } from "../check.ts"
import { storageCases } from "./cases.ts"
import { wasRefused } from "./outcomes.ts"
import { newMessage } from "./rows.ts"

export const messageCases = storageCases("storage: messages", {
  "a message is found by its id as it was added; another id finds none": (store) =>
    Effect.gen(function* () {
      const message = newMessage("msg_1", "Feed the 🐶\nat noon")
      yield* store.transact(store.messages.insert(message))
      assertEqual(yield* store.messages.find("msg_1"), message)
      assertEqual(yield* store.messages.find("msg_2"), undefined)
    }),

  "messages are listed in ascending id, after the given one, in whatever order they were added": (store) =>
    Effect.gen(function* () {
      for (const id of ["msg_b", "msg_0", "msg_a", "msg_10", "msg_9"]) {
        yield* store.transact(store.messages.insert(newMessage(id)))
      }
      const ids = (after: string, limit: number) =>
        Effect.map(store.messages.list(after, limit), (messages) => messages.map(({ id }) => id))
      assertEqual(yield* ids("", 10), ["msg_0", "msg_10", "msg_9", "msg_a", "msg_b"])
      assertEqual(yield* ids("", 2), ["msg_0", "msg_10"])
      assertEqual(yield* ids("msg_10", 2), ["msg_9", "msg_a"])
      assertEqual(yield* ids("msg_5", 1), ["msg_9"])
      assertEqual(yield* ids("msg_b", 2), [])
    }),

  "a second message with the same id is rejected, and the first is kept": (store) =>
    Effect.gen(function* () {
      yield* store.transact(store.messages.insert(newMessage("msg_1", "first")))
      wasRefused(yield* Effect.exit(store.transact(store.messages.insert(newMessage("msg_1", "second")))))
      assertEqual(
        (yield* store.messages.list("", 10)).map(({ message }) => message),
        ["first"]
      )
    })
})
