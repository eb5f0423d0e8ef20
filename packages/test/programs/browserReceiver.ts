import { receive } from "./receiver.ts"

declare global {
  var storyResult: Promise<object>
}

globalThis.storyResult = receive()
