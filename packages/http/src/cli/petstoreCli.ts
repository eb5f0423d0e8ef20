import * as Command from "effect/cli/Command"
import { accounts, keys } from "./syntax/access.ts"
import { events } from "./syntax/events.ts"
import { importFile } from "./syntax/importFile.ts"
import { messages } from "./syntax/messages.ts"
import { openapi } from "./syntax/openapi.ts"
import { serve } from "./syntax/serve.ts"
import { backup, copy, doctor, migrate, verify } from "./syntax/stores.ts"
import { webhooks } from "./syntax/webhooks.ts"

/** The CLI with all its subcommands. */
export const petstore = Command.make("petstore").pipe(
  Command.withDescription("Pet store: REST server and tools"),
  Command.withSubcommands([
    serve,
    accounts,
    keys,
    events,
    messages,
    webhooks,
    importFile,
    verify,
    backup,
    copy,
    migrate,
    doctor,
    openapi
  ])
)
