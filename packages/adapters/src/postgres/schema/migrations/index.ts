import { endings } from "@petstore/core/tables"
import { definition } from "../../../sql/definition.ts"
import { tableNamed } from "../../../sql/tableText.ts"
import { dialect, inCodePoints } from "../definitionDialect.ts"
import { initial } from "./0001_initial.ts"

/** One step of the schema. A released step never changes: a change is a new step. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  /** The SHA-256 of `sql`, written down since no synchronous one is in every runtime. */
  readonly checksum: string
  /**
   * Programs that know the steps up to this number can work on the schema after this step, so that servers are updated one
   * after the other. A step that they cannot work with has its own number.
   */
  readonly compatibleWith: number
}

/** Deliveries to all endpoints are found by their status, and by what their events are about. */
const deliveries = `
CREATE INDEX @petstore_deliveries_state ON petstore_deliveries (status, id);
CREATE INDEX @petstore_deliveries_about ON petstore_deliveries (subject, id);
`

/** What a search compares of a name that is not ASCII: programs write it with the name. */
const words = `ALTER TABLE petstore_pets ADD COLUMN words text COLLATE "C";`

/** Orders that ended before have no row: nothing has recorded who ended them. */
const endingsStep = inCodePoints(definition(tableNamed(endings.name), dialect))

/** The latest attempts of a delivery. Those of before were not recorded one by one. */
const attempts = `ALTER TABLE petstore_deliveries ADD COLUMN latest_attempts text COLLATE "C";`

/** Every step, in order; the last one's id is the version of the schema. */
export const migrations: ReadonlyArray<Migration> = [
  {
    id: 1,
    name: "initial",
    sql: initial,
    checksum: "bf9d586cd8c26cf5bedd12dc59121e4b9733b41e06c5573c906b972fce28e131",
    compatibleWith: 1
  },
  {
    id: 2,
    name: "deliveries",
    sql: deliveries,
    checksum: "7e7748afa5d562103cecbc0d14bf36f3c70ff6f4a4b3e5207fc04ceeb48df799",
    compatibleWith: 1
  },
  {
    id: 3,
    name: "words",
    sql: words,
    checksum: "dc9b35b4f4d26c5862ea0cc68395be20b0a805f38b6ad29ad1f80ba9d18d3978",
    compatibleWith: 1
  },
  {
    id: 4,
    name: "endings",
    sql: endingsStep,
    checksum: "27ed7415ba1c641365e45701fbe45a89cf75f6034f72891efb885a3252c37aa8",
    compatibleWith: 1
  },
  {
    id: 5,
    name: "attempts",
    sql: attempts,
    checksum: "e0cd83911d7a47f48d21bd41b5d93b442807588e4e5740ff602d95afa6d9aff5",
    compatibleWith: 1
  }
]
