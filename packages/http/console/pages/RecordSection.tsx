import { whyNot } from "../api/scopes.ts"
import type { One } from "../lists/useOne.ts"
import { Button } from "../ui/Button.tsx"
import { Json } from "../ui/Json.tsx"
import { Section } from "../ui/Section.tsx"
import { editRecord } from "./editRecord.ts"
import type { ResourceRecord } from "./useRecord.ts"

export const RecordSection = ({ path, record, scope }: { path: string; record: One<ResourceRecord>; scope: string }) =>
  record.value === undefined ? null : (
    <Section title="Metadata">
      {Object.keys(record.value.metadata).length > 0 && <Json value={record.value.metadata} />}
      <Button blocked={whyNot(scope)} onClick={() => editRecord(path, record.reload)}>
        Edit the record
      </Button>
    </Section>
  )
