import type { ResourceRecord } from "@petstore/core"
import { call, get } from "../api/request.ts"
import { whyNot } from "../api/scopes.ts"
import { type One, useOne } from "../lists/useOne.ts"
import { Button } from "../ui/Button.tsx"
import { openForm } from "../ui/form.ts"
import { Json } from "../ui/Json.tsx"
import { Section } from "../ui/Section.tsx"

/** The record of a resource, which has a path. */
export const useRecord = (path: string): One<ResourceRecord> => useOne<ResourceRecord>(`${path}/record`)

/** The texts by keys in JSON; null for the keys of before that are gone. */
const metadataOf = (text: string, before: ResourceRecord["metadata"]): Record<string, unknown> => {
  const written: unknown = text.trim() === "" ? {} : JSON.parse(text)
  if (typeof written !== "object" || written === null || Array.isArray(written)) {
    throw new Error('The metadata are texts by keys, such as {"vendor": "Happy Paws"}')
  }
  return { ...Object.fromEntries(Object.keys(before).map((key) => [key, null])), ...written }
}

const editRecord = async (path: string, reload: () => void): Promise<void> => {
  // As it is when the form opens: its entity tag is another one after each change of its resource.
  const { data, etag } = await get<ResourceRecord>(`${path}/record`)
  const { externalId = "", metadata } = data
  openForm({
    title: "Edit the record",
    fields: [
      { name: "externalId", label: "External id", value: externalId, placeholder: "its id in another system" },
      {
        name: "metadata",
        label: "Metadata, as JSON",
        value: Object.keys(metadata).length === 0 ? "" : JSON.stringify(metadata, undefined, 2),
        lines: true
      }
    ],
    yes: "Save the record",
    done: "The record is saved",
    submit: async (values) => {
      const id = values.externalId?.trim() ?? ""
      const body = { externalId: id === "" ? null : id, metadata: metadataOf(values.metadata ?? "", metadata) }
      await call("PATCH", `${path}/record`, { body, ifMatch: etag, idempotent: true })
      reload()
    }
  })
}

export const RecordSection = ({ path, record, scope }: { path: string; record: One<ResourceRecord>; scope: string }) =>
  record.value === undefined ? null : (
    <Section title="Metadata">
      {Object.keys(record.value.metadata).length > 0 && <Json value={record.value.metadata} />}
      <Button blocked={whyNot(scope)} onClick={() => editRecord(path, record.reload)}>
        Edit the record
      </Button>
    </Section>
  )
