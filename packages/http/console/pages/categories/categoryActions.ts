import type { Category } from "@petstore/core"
import { call } from "../../api/request.ts"
import type { One } from "../../lists/useOne.ts"
import { go, here } from "../../router.ts"
import { act } from "../../ui/act.ts"
import { type Field, openForm } from "../../ui/form.ts"
import { confirm } from "../../ui/Questions.tsx"

const fieldsOf = ({ description = "", name = "" }: Partial<Category> = {}): ReadonlyArray<Field> => [
  { name: "name", label: "Name", value: name, required: true },
  { name: "description", label: "Description", value: description, lines: true }
]

export const createCategory = (done: () => void): void =>
  openForm({
    title: "Create a category",
    fields: fieldsOf(),
    yes: "Create the category",
    done: "The category is created",
    submit: async ({ description = "", name = "" }) => {
      const body = { name, ...(description.trim() === "" ? {} : { description }) }
      await call("POST", "/categories", { body, idempotent: true })
      done()
    }
  })

export const editCategory = (id: string, { etag, reload, value }: One<Category>): void =>
  openForm({
    title: `Edit category ${id}`,
    fields: fieldsOf(value),
    yes: "Save the category",
    done: "The category is saved",
    submit: async ({ description = "", name = "" }) => {
      const body = { name, description: description.trim() === "" ? null : description }
      await call("PATCH", `/categories/${id}`, { body, ifMatch: etag, idempotent: true })
      reload()
    }
  })

export const removeCategory = async (id: string, etag: string | undefined): Promise<void> => {
  const yes = await confirm({
    title: `Delete category ${id}?`,
    text: "Only a category without pets can be deleted. This cannot be undone.",
    yes: "Delete the category",
    danger: true
  })
  if (!yes) return
  const action = () => call("DELETE", `/categories/${id}`, { ifMatch: etag, idempotent: true })
  if (await act(`Category ${id} is deleted`, action)) go(here({}, null))
}
