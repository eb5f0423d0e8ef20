import { receive } from "./receiver.ts"

console.log(JSON.stringify(await receive()))
