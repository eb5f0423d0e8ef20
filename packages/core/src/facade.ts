/** The faces of a petstore over commands that are effects, for those who bring the commands from elsewhere. */
export { allPages } from "./petstore/allPages.ts"
export {
  type Commands,
  checkCallOptions,
  promiseApi,
  type RunCommand,
  type RunExit,
  runCall
} from "./petstore/promiseApi.ts"
