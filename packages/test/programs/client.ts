import { createClient } from "@petstore/http/client"

Object.assign(globalThis, { createClient })
