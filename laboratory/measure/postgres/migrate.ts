import { postgres } from "@petstore/adapters/postgres"
import { createPetstore } from "@petstore/core"

/** Makes the tables. */
export const migrate = async (url: string): Promise<void> => {
  const petstore = await createPetstore({ storage: postgres(url) })
  await petstore.close()
}
