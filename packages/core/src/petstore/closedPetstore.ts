import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"

/** What every call on a closed petstore is refused with. */
export const closedPetstore = (): ShuttingDown =>
  new ShuttingDown({}, { message: "This petstore is closed. Create another one." })
