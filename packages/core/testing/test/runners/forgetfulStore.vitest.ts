import { registerContract } from "@petstore/testing"
import { describe, it } from "vitest"
import { cases } from "./forgetfulStore.ts"

registerContract(cases, { describe, it })
