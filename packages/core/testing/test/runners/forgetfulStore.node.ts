import { describe, it } from "node:test"
import { registerContract } from "@petstore/testing"
import { cases } from "./forgetfulStore.ts"

registerContract(cases, { describe, it })
