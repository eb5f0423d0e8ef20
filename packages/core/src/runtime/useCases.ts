import type { MethodInput } from "../domain/MethodInput.ts"
import { type MethodName, methodInputs } from "../domain/methodInputs.ts"
import { accountCommands, accountQueries } from "../programs/access/Accounts.ts"
import { apiKeyCommands, apiKeyQueries } from "../programs/access/ApiKeys.ts"
import { categoryCommands, categoryQueries } from "../programs/categories/Categories.ts"
import { isDeletion } from "../programs/idempotency/resultSchemas.ts"
import { inventoryCommands, inventoryQueries } from "../programs/inventory/Inventory.ts"
import { messageCommands, messageQueries } from "../programs/messages/Messages.ts"
import { orderCommands, orderQueries } from "../programs/orders/Orders.ts"
import { petCommands, petQueries } from "../programs/pets/Pets.ts"
import { recordCommands, recordQueries } from "../programs/records/Records.ts"
import type { Action, Command, Kind, Program, Query, UseCase } from "../programs/UseCase.ts"
import { deliveryActions, deliveryQueries } from "../programs/webhooks/Deliveries.ts"
import { webhookActions, webhookCommands, webhookQueries } from "../programs/webhooks/Webhooks.ts"

type Programs<P> = Readonly<Record<string, P>>

type Named<Group extends string, P extends Programs<Program>> = {
  readonly [Name in keyof P]: UseCase<Extract<`${Group}.${Name & string}`, MethodName>, P[Name]>
}

/** The use cases of a group of methods, by kind. */
const useCasesOf = <
  const Group extends keyof typeof methodInputs,
  Queries extends Programs<Query>,
  Commands extends Programs<Command>,
  Actions extends Programs<Action> = Record<never, never>
>(
  group: Group,
  queries: Queries,
  commands: Commands,
  actions?: Actions
): Named<Group, Queries> & Named<Group, Commands> & Named<Group, Actions> => {
  const inputs: Readonly<Record<string, MethodInput>> = methodInputs[group]
  const named = (kind: Kind, programs: Programs<Program> = {}) =>
    Object.entries(programs).map(([name, program]): readonly [string, UseCase] => [
      name,
      {
        name: `${group}.${name}` as MethodName,
        kind,
        isRepeatable: inputs[name]?.options?.idempotencyKey === true,
        isDeletion: isDeletion(`${group}.${name}`),
        program
      }
    ])
  // TypeScript cannot follow a loop over names.
  const all: unknown = Object.fromEntries([
    ...named("query", queries),
    ...named("command", commands),
    ...named("action", actions)
  ])
  return all as Named<Group, Queries> & Named<Group, Commands> & Named<Group, Actions>
}

/** Every use case by group and name. Methods, operations and transactions run what is here. */
export const useCases = {
  pets: useCasesOf("pets", petQueries, petCommands),
  categories: useCasesOf("categories", categoryQueries, categoryCommands),
  inventory: useCasesOf("inventory", inventoryQueries, inventoryCommands),
  orders: useCasesOf("orders", orderQueries, orderCommands),
  records: useCasesOf("records", recordQueries, recordCommands),
  messages: useCasesOf("messages", messageQueries, messageCommands),
  accounts: useCasesOf("accounts", accountQueries, accountCommands),
  apiKeys: useCasesOf("apiKeys", apiKeyQueries, apiKeyCommands),
  webhooks: useCasesOf("webhooks", webhookQueries, webhookCommands, webhookActions),
  deliveries: useCasesOf("deliveries", deliveryQueries, {}, deliveryActions)
}
