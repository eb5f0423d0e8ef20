import { assert, describe, it } from "@effect/vitest"
import * as domain from "@petstore/core/domain"
import { type Arbitrary, sampleEffect } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as arbitraries from "./arbitraries.ts"
import { corrupted } from "./corrupted.ts"

const known: { readonly [name: string]: readonly [Schema.ConstraintDecoder<unknown>, Arbitrary<unknown>] } = {
  Account: [domain.Account, arbitraries.account],
  ApiKey: [domain.ApiKey, arbitraries.apiKey],
  ApiKeyEventData: [domain.ApiKeyEventData, arbitraries.apiKeyEventData],
  ApiKeyRotation: [domain.ApiKeyRotation, arbitraries.apiKeyRotation],
  ApiKeyWithSecret: [domain.ApiKeyWithSecret, arbitraries.apiKeyWithSecret],
  AttemptFailure: [domain.AttemptFailure, arbitraries.attemptFailure],
  CancelReason: [domain.CancelReason, arbitraries.cancelReason],
  Category: [domain.Category, arbitraries.category],
  CategoryDescription: [domain.CategoryDescription, arbitraries.categoryDescription],
  CategoryName: [domain.CategoryName, arbitraries.categoryName],
  CategoryEventData: [domain.CategoryEventData, arbitraries.categoryEventData],
  CategoryFilter: [domain.CategoryFilter, arbitraries.categoryFilter],
  CategoryUpdate: [domain.CategoryUpdate, arbitraries.categoryUpdate],
  EventListQuery: [domain.EventListQuery, arbitraries.eventListQuery],
  Delivery: [domain.Delivery, arbitraries.delivery],
  DeletedMessage: [domain.DeletedMessage, arbitraries.deletedMessage],
  DeliveryAttempt: [domain.DeliveryAttempt, arbitraries.deliveryAttempt],
  DeliverySearch: [domain.DeliverySearch, arbitraries.deliverySearch],
  DeliveryFilter: [domain.DeliveryFilter, arbitraries.deliveryFilter],
  DeliveryWithAttempts: [domain.DeliveryWithAttempts, arbitraries.deliveryWithAttempts],
  DeliveryStatus: [domain.DeliveryStatus, arbitraries.deliveryStatus],
  Event: [domain.Event, arbitraries.event],
  EventQuery: [domain.EventQuery, arbitraries.eventQuery],
  EventSubject: [domain.EventSubject, arbitraries.eventSubject],
  EventType: [domain.EventType, arbitraries.eventType],
  ExternalId: [domain.ExternalId, arbitraries.externalId],
  Metadata: [domain.Metadata, arbitraries.metadata],
  MetadataFilter: [domain.MetadataFilter, arbitraries.metadataFilter],
  RecordKind: [domain.RecordKind, arbitraries.recordKind],
  Id: [domain.Id, arbitraries.id],
  AdjustmentReason: [domain.AdjustmentReason, arbitraries.adjustmentReason],
  IncludedOrderRecord: [domain.IncludedOrderRecord, arbitraries.includedOrderRecord],
  IncludedRecord: [domain.IncludedRecord, arbitraries.includedRecord],
  ListQuery: [domain.ListQuery, arbitraries.listQuery],
  ListSort: [domain.ListSort, arbitraries.listSort],
  MovementQuery: [domain.MovementQuery, arbitraries.movementQuery],
  OrderOwner: [domain.OrderOwner, arbitraries.includedOwner],
  InventoryAdjustment: [domain.InventoryAdjustment, arbitraries.inventoryAdjustment],
  AnyConsumerName: [domain.AnyConsumerName, arbitraries.anyConsumerName],
  InventoryAdjustments: [domain.InventoryAdjustments, arbitraries.inventoryAdjustments],
  PetAdjustment: [domain.PetAdjustment, arbitraries.petAdjustment],
  InventoryCount: [domain.InventoryCount, arbitraries.inventoryCount],
  InventoryCounts: [domain.InventoryCounts, arbitraries.inventoryCounts],
  InventoryEventData: [domain.InventoryEventData, arbitraries.inventoryEventData],
  InventoryFilter: [domain.InventoryFilter, arbitraries.inventoryFilter],
  InventoryItem: [domain.InventoryItem, arbitraries.inventoryItem],
  InventoryUpdate: [domain.InventoryUpdate, arbitraries.inventoryUpdate],
  Message: [domain.Message, arbitraries.queuedMessage],
  MessageFilter: [domain.MessageFilter, arbitraries.messageFilter],
  MessageId: [domain.MessageId, arbitraries.messageId],
  MessageStatus: [domain.MessageStatus, arbitraries.messageStatus],
  MessageWithDelivery: [domain.MessageWithDelivery, arbitraries.messageWithDelivery],
  Movement: [domain.Movement, arbitraries.movement],
  MovementKind: [domain.MovementKind, arbitraries.movementKind],
  NewAccount: [domain.NewAccount, arbitraries.newAccount],
  NewApiKey: [domain.NewApiKey, arbitraries.newApiKey],
  NewCategory: [domain.NewCategory, arbitraries.newCategory],
  NewMessage: [domain.NewMessage, arbitraries.newMessage],
  NewOrders: [domain.NewOrders, arbitraries.newOrders],
  NewPet: [domain.NewPet, arbitraries.newPet],
  NewPets: [domain.NewPets, arbitraries.newPets],
  NewWebhook: [domain.NewWebhook, arbitraries.newWebhook],
  Order: [domain.Order, arbitraries.newOrder],
  OrderEnding: [domain.OrderEnding, arbitraries.orderEnding],
  OrderEventData: [domain.OrderEventData, arbitraries.orderEventData],
  OrderFilter: [domain.OrderFilter, arbitraries.orderFilter],
  OrderQuantity: [domain.OrderQuantity, arbitraries.orderQuantity],
  OrderSort: [domain.OrderSort, arbitraries.orderSort],
  OrderUpdate: [domain.OrderUpdate, arbitraries.orderUpdate],
  PageQuery: [domain.PageQuery, arbitraries.pageQuery],
  Pet: [domain.Pet, arbitraries.pet],
  PetEventData: [domain.PetEventData, arbitraries.petEventData],
  PetFilter: [domain.PetFilter, arbitraries.petFilter],
  PetSort: [domain.PetSort, arbitraries.petSort],
  PetName: [domain.PetName, arbitraries.petName],
  PetStatus: [domain.PetStatus, arbitraries.petStatus],
  PetStatusEventData: [domain.PetStatusEventData, arbitraries.petStatusEventData],
  PetUpdate: [domain.PetUpdate, arbitraries.petUpdate],
  PetWithInventory: [domain.PetWithInventory, arbitraries.petWithInventory],
  Preset: [domain.Preset, arbitraries.preset],
  DeliveriesRequeued: [domain.DeliveriesRequeued, arbitraries.deliveriesRequeued],
  DeliveryRequeue: [domain.DeliveryRequeue, arbitraries.deliveryRequeue],
  MessageRequeue: [domain.MessageRequeue, arbitraries.messageRequeue],
  MessagesRequeued: [domain.MessagesRequeued, arbitraries.messagesRequeued],
  Redelivered: [domain.Redelivered, arbitraries.redelivered],
  Redelivery: [domain.Redelivery, arbitraries.redelivery],
  RecordEventData: [domain.RecordEventData, arbitraries.recordEventData],
  RecordUpdate: [domain.RecordUpdate, arbitraries.recordUpdate],
  ResourceRecord: [domain.ResourceRecord, arbitraries.resourceRecord],
  Reservation: [domain.Reservation, arbitraries.reservation],
  ResourceId: [domain.ResourceId, arbitraries.resourceId],
  Scope: [domain.Scope, arbitraries.scope],
  StockDelta: [domain.StockDelta, arbitraries.stockDelta],
  StockQuantity: [domain.StockQuantity, arbitraries.stockQuantity],
  Timestamp: [domain.Timestamp, arbitraries.sentTimestamp],
  Webhook: [domain.Webhook, arbitraries.webhook],
  WebhookDisabledReason: [domain.WebhookDisabledReason, arbitraries.webhookDisabledReason],
  WebhookEvent: [domain.WebhookEvent, arbitraries.webhookEvent],
  WebhookEventData: [domain.WebhookEventData, arbitraries.webhookEventData],
  WebhookRotation: [domain.WebhookRotation, arbitraries.webhookRotation],
  WebhookTest: [domain.WebhookTest, arbitraries.webhookTest],
  WebhookTestResult: [domain.WebhookTestResult, arbitraries.webhookTestResult],
  WebhookUpdate: [domain.WebhookUpdate, arbitraries.webhookUpdate],
  WebhookUrl: [domain.WebhookUrl, arbitraries.webhookUrl],
  WebhookWithSecret: [domain.WebhookWithSecret, arbitraries.webhookWithSecret]
}

describe("arbitraries", () => {
  it("stand for every schema of the domain, those of options of functions aside", () => {
    const schemas = Object.entries(domain).flatMap(([name, value]) =>
      Schema.isSchema(value) && !name.endsWith("Option") ? [name] : []
    )
    assert.deepStrictEqual(schemas.sort(), Object.keys(known).sort())
    const all = new Set<unknown>(Object.values(domain))
    const inNamespaces = [domain.CategoryRules, domain.OrderRules, domain.StockRules, domain.ApiKeyToken].flatMap(
      (namespace) => Object.values(namespace).filter((value) => Schema.isSchema(value) && !all.has(value))
    )
    assert.deepStrictEqual(inNamespaces, [])
  })

  for (const [name, [schema, arbitrary]] of Object.entries(known)) {
    const validate = domain.validator(schema)
    it.prop(`every generated ${name} is valid`, { value: arbitrary }, ({ value }) => {
      const validated = validate("/body", value)
      if (Result.isFailure(validated)) assert.fail(JSON.stringify(validated.failure))
    })
  }

  for (const [name, [schema, arbitrary]] of Object.entries(known)) {
    if (!("fields" in schema)) continue
    it.effect(`given a hundred of ${name}, then each field of the schema is in one of them`, () =>
      Effect.gen(function* () {
        const values = yield* sampleEffect(arbitrary, { count: 100, seed: 1 })
        const fields = new Set(values.flatMap((value) => Object.keys(value as object)))
        assert.sameMembers([...fields], Object.keys(schema.fields as object))
      })
    )
  }

  it.prop("a returned order is a valid order", { order: arbitraries.order }, ({ order }) =>
    Result.isSuccess(domain.validator(domain.Order)("/body", order))
  )

  const inputs = {
    NewPet: [domain.NewPet, arbitraries.newPet],
    PetUpdate: [domain.PetUpdate, arbitraries.petUpdate],
    NewCategory: [domain.NewCategory, arbitraries.newCategory],
    CategoryUpdate: [domain.CategoryUpdate, arbitraries.categoryUpdate],
    NewWebhook: [domain.NewWebhook, arbitraries.newWebhook],
    Order: [domain.Order, arbitraries.newOrder],
    OrderUpdate: [domain.OrderUpdate, arbitraries.orderUpdate],
    InventoryUpdate: [domain.InventoryUpdate, arbitraries.inventoryUpdate],
    InventoryAdjustment: [domain.InventoryAdjustment, arbitraries.inventoryAdjustment],
    InventoryAdjustments: [domain.InventoryAdjustments, arbitraries.inventoryAdjustments],
    InventoryCounts: [domain.InventoryCounts, arbitraries.inventoryCounts],
    NewPets: [domain.NewPets, arbitraries.newPets],
    NewMessage: [domain.NewMessage, arbitraries.newMessage],
    NewApiKey: [domain.NewApiKey, arbitraries.newApiKey]
  } as const
  for (const [name, [schema, arbitrary]] of Object.entries(inputs)) {
    const validate = domain.validator(schema)
    it.prop(
      `a hostile ${name} is rejected with pointers to what is wrong, or is a valid one in disguise`,
      { input: corrupted(arbitrary) },
      ({ input }) => {
        const validated = validate("/body", input)
        if (Result.isSuccess(validated)) {
          assert.isTrue(Result.isSuccess(validate("/body", validated.success)))
          return
        }
        assert.isAtLeast(validated.failure.length, 1)
        for (const { message, path } of validated.failure) {
          assert.match(path, /^\/body(\/.*)?$/s)
          assert.match(message, /^(Expected .+|Missing field|Unknown field.+)$/s)
        }
      },
      { arbitrary: { runs: 300 } }
    )
  }
})
