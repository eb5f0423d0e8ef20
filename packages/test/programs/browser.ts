import { story } from "./story.ts"

declare global {
  var storyResult: Promise<object>
}

globalThis.storyResult = story()
