import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"

/** The error of every call on a closed petstore. */
export const closedPetstore = (): ShuttingDown =>
  new ShuttingDown({}, { message: "This petstore is closed. Create another one." })
