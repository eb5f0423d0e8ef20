/** What a client of a remote petstore is built from: the promise API over calls that are effects. */
export { allPages } from "./petstore/allPages.ts"
export {
  type Commands,
  checkCallOptions,
  promiseApi,
  type RunCommand,
  type RunExit,
  runCall
} from "./petstore/promiseApi.ts"
