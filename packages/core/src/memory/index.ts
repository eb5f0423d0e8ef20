export { memory } from "./MemoryStorage.ts"
