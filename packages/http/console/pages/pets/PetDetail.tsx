import type { Movement, Pet } from "@petstore/core"
import { whyNot } from "../../api/scopes.ts"
import { useList } from "../../lists/useList.ts"
import { type One, useOne } from "../../lists/useOne.ts"
import { useEventsOf } from "../../live/useEventsOf.ts"
import { here, linkTo } from "../../router.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Drawer } from "../../ui/Drawer.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Meter } from "../../ui/Meter.tsx"
import { Section } from "../../ui/Section.tsx"
import { Failed } from "../../ui/states.tsx"
import { Time } from "../../ui/Time.tsx"
import { number } from "../../ui/text.ts"
import { HistorySection, useHistoryOf } from "../HistorySection.tsx"
import { RecordSection, useRecord } from "../RecordSection.tsx"
import { Adjust } from "./Adjust.tsx"
import { Ledger } from "./Ledger.tsx"
import { type Item, petTones } from "./pet.ts"
import { editPet, removePet } from "./petActions.ts"

const StockFigures = ({ stock: { available, quantity, reserved } }: { stock: Item }) => {
  const tone = available === 0 ? "bad" : "ok"
  return (
    <>
      <div class="stock-figures">
        <span>
          <strong>{number(quantity)}</strong> on hand
        </span>
        <span>
          <strong>{number(reserved)}</strong> reserved
        </span>
        <span class={tone}>
          <strong>{number(available)}</strong> available
        </span>
      </div>
      <Meter part={available} of={quantity} tone={tone} />
    </>
  )
}

const PetButtons = ({ id, pet }: { id: string; pet: One<Pet> }) => (
  <>
    <a class="button" href={linkTo("orders", undefined, { pet: id })}>
      Its orders
    </a>
    <Button blocked={whyNot("pets:write")} onClick={() => editPet(pet)}>
      Edit
    </Button>
    <Button kind="danger" blocked={whyNot("pets:write")} onClick={() => removePet(pet)}>
      Delete pet
    </Button>
  </>
)

export const PetDetail = ({ id }: { id: string }) => {
  const pet = useOne<Pet & { inventory: Item }>(`/store/pets/${id}`)
  const ledger = useList<Movement>(`/inventory/${id}/movements`, { sort: "-seq", limit: 30 })
  const record = useRecord(`/pets/${id}`)
  const history = useHistoryOf(`pets/${id}`, "events:pets")
  const { error, value } = pet
  const category = useOne<{ name: string }>(value === undefined ? undefined : `/categories/${value.categoryId}`)
  const reload = (): void => {
    // The entity tag of the record is another one when the pet changes.
    for (const one of [pet, ledger, record]) one.reload()
  }
  useEventsOf([`pets/${id}`, `inventory/${id}`], reload)
  return (
    <Drawer
      kicker={`Pet ${id}`}
      title={value?.name ?? `Pet ${id}`}
      close={here({}, null)}
      actions={<PetButtons id={id} pet={pet} />}
    >
      {error !== undefined ? (
        <Failed error={error} retry={pet.reload} />
      ) : value !== undefined ? (
        <>
          <StockFigures stock={value.inventory} />
          <Section title="Change the stock">
            <Adjust id={id} done={reload} />
          </Section>
          <Facts
            of={[
              ["Status", <Badge tone={petTones[value.status ?? ""] ?? "idle"}>{value.status}</Badge>],
              ["Category", category.value?.name ?? value.categoryId],
              ["Created", <Time at={record.value?.createdAt} />],
              ["External id", record.value?.externalId]
            ]}
          />
          <Ledger list={ledger} />
          <HistorySection history={history} />
          <RecordSection path={`/pets/${id}`} record={record} scope="pets:write" />
        </>
      ) : null}
    </Drawer>
  )
}
