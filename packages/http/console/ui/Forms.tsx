import { useSignal } from "@preact/signals"
import { messageOf } from "../api/ApiError.ts"
import { Button } from "./Button.tsx"
import { Copy } from "./Copy.tsx"
import { Dialog } from "./Dialog.tsx"
import { type Field, type Form, opened, secret, type Values } from "./form.ts"
import { Icon } from "./Icon.tsx"
import { toast } from "./toast.ts"

const Input = ({ field, onChange, value }: { field: Field; value: string; onChange: (value: string) => void }) => {
  const { lines, name, options, placeholder, required } = field
  const change = (event: { readonly currentTarget: { readonly value: string } }): void =>
    onChange(event.currentTarget.value)
  if (options !== undefined) {
    return (
      <select name={name} value={value} onChange={change}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    )
  }
  return lines === true ? (
    <textarea name={name} rows={5} spellcheck={false} value={value} onInput={change} />
  ) : (
    <input
      name={name}
      autocomplete="off"
      required={required}
      placeholder={placeholder}
      value={value}
      onInput={change}
    />
  )
}

const FormDialog = ({ form: { done, fields, submit, title, yes } }: { form: Form }) => {
  const values = useSignal<Values>(
    Object.fromEntries(fields.map(({ name, options, value }) => [name, value ?? options?.[0]?.[0] ?? ""]))
  )
  const error = useSignal("")
  const busy = useSignal(false)
  const close = (): void => {
    opened.value = undefined
  }
  const send = async (): Promise<void> => {
    if (busy.peek()) return
    busy.value = true
    try {
      await submit(values.value)
      close()
      toast(done)
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      busy.value = false
    }
  }
  return (
    <Dialog title={title} onClose={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {fields.map((field) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: Input is one.
          <label key={field.name}>
            <span>{field.label}</span>
            <Input
              field={field}
              value={values.value[field.name] ?? ""}
              onChange={(value) => {
                values.value = { ...values.value, [field.name]: value }
              }}
            />
          </label>
        ))}
        {error.value !== "" && (
          <p class="notice bad" role="alert">
            <Icon name="alert" size={16} />
            {error.value}
          </p>
        )}
        <div class="dialog-actions">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" busy={busy.value}>
            {yes}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** The form that is open, and the secret that is shown. */
export const Forms = () => {
  const shown = secret.value
  const close = (): void => {
    secret.value = undefined
  }
  return (
    <>
      {opened.value !== undefined && <FormDialog form={opened.value} />}
      {shown !== undefined && (
        <Dialog title={shown.title} onClose={close}>
          <p>It is shown only once. If it is lost, rotate it.</p>
          <div class="secret">
            <code>{shown.text}</code>
            <Copy text={shown.text} />
          </div>
          <div class="dialog-actions">
            <Button kind="primary" onClick={close}>
              I have stored it
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
