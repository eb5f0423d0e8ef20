import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { hovers } from "./support/hover.ts"
import { installed } from "./support/installed.ts"

const { project } = await installed()

const expected: Readonly<Record<string, string>> = {
  petstore: "const petstore: Petstore<AnyMetadata>",
  cats: "const cats: Versioned<Category>",
  tom: "const tom: Versioned<Pet>",
  both: "const both: VersionedPetWithInventory",
  stock: "const stock: Versioned<InventoryItem>",
  pets: "const pets: Page<Pet>",
  order: "const order: Versioned<OrderRules.Order>",
  message: "const message: Message",
  account: "const account: Account",
  apiKey: "const apiKey: ApiKeyWithSecret",
  report: "const report: VerificationReport",
  close: "(method) Petstore<AnyMetadata>.close(): Promise<void>",
  details:
    '(property) Failure<"InsufficientStock", "insufficient_stock", 409, { readonly petId: number; readonly requested: number; readonly available: number; }>.details: ItemDetails<{ readonly petId: number; readonly requested: number; readonly available: number; }>',
  body: "const body: (error: PetstoreError) => ErrorBody",
  NoReptiles: 'const NoReptiles: RuleRefusalClass<"no_reptiles", { readonly petId: number; }>',
  place:
    "(method) OrderMethods<EmbeddedCallOptions, Metadata>.place(order: OrderRules.NewOrder, options?: (ReserveOptions & EmbeddedCallOptions) | undefined): Promise<Versioned<OrderRules.Order>>",
  placing:
    "const placing: (quantity: number) => Effect.Effect<Versioned<OrderRules.Order>, InsufficientStock | OrderIsDraft | OrderLimitExceeded | PetNotAvailable | RuleRefusal | UnknownPet | IdempotencyError | StorageError, Petstore>",
  program:
    "const program: Effect.Effect<Versioned<OrderRules.Order>, InsufficientStock | OrderIsDraft | OrderLimitExceeded | PetNotAvailable | RuleRefusal | UnknownPet | IdempotencyError | StorageError, Petstore>",
  caught:
    "const caught: Effect.Effect<void | Versioned<OrderRules.Order>, OrderIsDraft | OrderLimitExceeded | PetNotAvailable | RuleRefusal | UnknownPet | IdempotencyError | StorageError, Petstore>",
  provided:
    "const provided: Effect.Effect<Versioned<OrderRules.Order>, InsufficientStock | OrderIsDraft | OrderLimitExceeded | PetNotAvailable | RuleRefusal | UnknownPet | IdempotencyError | StorageError, never>",
  decided: "const decided: Decided<InsufficientStock | OrderIsDraft | PetNotAvailable | UnknownPet>",
  handler: "const handler: PetstoreHandler",
  client: "const client: RemotePetstore",
  create:
    "(method) PetMethods<EmbeddedCallOptions, Metadata>.create(pet: NewPet, options?: (CreateOptions & EmbeddedCallOptions) | undefined): Promise<Versioned<Pet>>",
  all: "(method) PetMethods<EmbeddedCallOptions, Metadata>.all<I>(filter?: (PetFilter & IncludeOption<I>) | undefined, options?: EmbeddedCallOptions | undefined): AsyncIterable<Shown<Pet, IncludedRecord<Metadata>, I>>"
}

describe("given an editor", () => {
  let shown: Readonly<Record<string, string>> = {}

  beforeAll(async () => {
    const compilerOptions = { strict: true, target: "ES2024", module: "NodeNext", noEmit: true }
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["shown.ts"] }))
    shown = await hovers(project, "shown.ts")
  })

  for (const [name, type] of Object.entries(expected)) {
    it(`when it shows ${name}, then the types have their names`, () => {
      assert.strictEqual(shown[name], type)
    })
  }

  it("then every name of the program is expected to show something", () => {
    assert.sameMembers(Object.keys(shown), Object.keys(expected))
  })
})
