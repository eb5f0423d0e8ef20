import { afterAll } from "vitest"
import { FreshStores } from "./FreshStores.ts"
import { testDatabase } from "./testDatabase.ts"

/** Stores on a database of the server that the tests share, for all tests of a file. */
export const testStores = (options?: ConstructorParameters<typeof FreshStores>[1]): FreshStores => {
  const stores = new FreshStores(testDatabase, options)
  afterAll(() => stores.close())
  return stores
}
