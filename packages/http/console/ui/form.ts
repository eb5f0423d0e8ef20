import { signal } from "@preact/signals"

export interface Field {
  readonly name: string
  readonly label: string
  /** What it has at first. */
  readonly value?: string | undefined
  readonly placeholder?: string
  /** The values that it takes, with a text each. */
  readonly options?: ReadonlyArray<readonly [value: string, text: string]>
  readonly required?: true
  /** Whether it takes several lines. */
  readonly lines?: true
}

export type Values = Readonly<Record<string, string>>

export interface Form {
  readonly title: string
  readonly fields: ReadonlyArray<Field>
  readonly yes: string
  /** What is said once it is done. */
  readonly done: string
  readonly submit: (values: Values) => Promise<unknown>
}
/** The form that is open. */
export const opened = signal<Form | undefined>(undefined)
/** What is shown once. */
export const secret = signal<{ readonly title: string; readonly text: string } | undefined>(undefined)

/** Asks for some values, and closes when they were accepted. What is wrong with them is said beside them. */
export const openForm = (form: Form): void => {
  opened.value = form
}

/** Shows what no later response contains. */
export const showSecret = (title: string, text: string): void => {
  secret.value = { title, text }
}
