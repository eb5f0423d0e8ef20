import { IdempotencyInProgress, type PetStatus, withAllDetails } from "@petstore/core/domain"
import type { StoredQuery, StoredTable } from "@petstore/core/engine"
import type { DeliveryBacklog, LowestPosition, PetQuery, ShownPet, VersionedShownPet } from "@petstore/core/ports"
import { Duplicate, type Rows } from "@petstore/core/ports"
import {
  accountsByName,
  apiKeysAfter,
  batchesOf,
  categoriesAfter,
  categoriesByName,
  claimableMessages,
  deliveredMessages,
  deliveriesBy,
  deliveriesOfEvents,
  dueDeliveries,
  endpoints,
  leasedDeliveries,
  leasedMessages,
  messagesBy,
  movementsOf,
  ordersBy,
  parkedEventsOf,
  pendingDeliveries,
  petsBy,
  replaysOf,
  schema,
  waitingMessages
} from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import { type EventFormat, eventRows } from "./EventRows.ts"
import type { Sql } from "./Sql.ts"
import { claimed, TableRows } from "./tableRows.ts"
import { nameOf } from "./tableText.ts"
