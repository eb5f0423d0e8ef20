import { story } from "./story.ts"

console.log(JSON.stringify(await story()))
