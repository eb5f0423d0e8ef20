export { memory } from "@petstore/core"
