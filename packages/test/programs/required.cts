// What a CommonJS program in TypeScript writes.
import { createPetstore, type Petstore } from "@petstore/core"

import client = require("@petstore/http/client")

export const open = (): Promise<Petstore> => createPetstore()
export const remote = client.createClient({ baseUrl: "https://pets.example/v1", key: "psk_1" })
