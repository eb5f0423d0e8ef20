import { story } from "./story.ts"

declare global {
  var told: Promise<object>
}

globalThis.told = story()
