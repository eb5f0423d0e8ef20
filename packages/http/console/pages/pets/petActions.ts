import type { Category, Pet } from "@petstore/core"
import { call, get } from "../../api/request.ts"
import type { One } from "../../lists/useOne.ts"
import { go, here } from "../../router.ts"
import { act } from "../../ui/act.ts"
import { openForm } from "../../ui/form.ts"
import { confirm } from "../../ui/Questions.tsx"

/** Every category by its id: a shop has few. */
const categoryOptions = async () => {
  const { data } = await get<ReadonlyArray<Category>>("/categories", { limit: 100 })
  return data.map(({ id, name }) => [String(id), name] as const)
}

export const createPet = async (done: () => void): Promise<void> => {
  const options = await categoryOptions()
  openForm({
    title: "Create a pet",
    fields: [
      { name: "name", label: "Name", required: true },
      { name: "categoryId", label: "Category", options }
    ],
    yes: "Create the pet",
    done: "The pet is created",
    submit: async ({ categoryId, name }) => {
      await call("POST", "/pets", { body: { name, categoryId: Number(categoryId) }, idempotent: true })
      done()
    }
  })
}

export const editPet = async ({ etag, reload, value }: One<Pet>): Promise<void> => {
  if (value === undefined) return
  const options = await categoryOptions()
  const known = options.some(([id]) => id === String(value.categoryId))
  openForm({
    title: `Edit pet ${value.id}`,
    fields: [
      { name: "name", label: "Name", value: value.name, required: true },
      {
        name: "categoryId",
        label: "Category",
        value: String(value.categoryId),
        options: known ? options : [[String(value.categoryId), `Category ${value.categoryId}`], ...options]
      },
      {
        name: "status",
        label: "Status",
        value: value.status,
        options: [
          ["available", "available"],
          ["pending", "pending: on hold, takes no orders"],
          ["sold", "sold: no units are left"]
        ]
      }
    ],
    yes: "Save the pet",
    done: "The pet is saved",
    submit: async ({ categoryId, name, status }) => {
      // A status that stays is left out: a pet becomes sold by its stock, too.
      const body = { name, categoryId: Number(categoryId), ...(status === value.status ? {} : { status }) }
      await call("PATCH", `/pets/${value.id}`, { body, ifMatch: etag, idempotent: true })
      reload()
    }
  })
}

export const removePet = async ({ etag, value }: One<Pet>): Promise<void> => {
  if (value === undefined) return
  const asked = {
    title: `Delete pet ${value.id}?`,
    text: "Only a pet without open orders can be deleted. This cannot be undone.",
    yes: "Delete the pet",
    danger: true
  }
  if (!(await confirm(asked))) return
  const action = () => call("DELETE", `/pets/${value.id}`, { ifMatch: etag, idempotent: true })
  if (await act(`Pet ${value.id} is deleted`, action)) go(here({}, null))
}
