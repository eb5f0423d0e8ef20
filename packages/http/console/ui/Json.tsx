import type { JSX } from "preact"
import { Copy } from "./Copy.tsx"

/** JSON in colours. Everything is text: what a customer wrote can never become markup. */
export const Json = ({ value }: { value: unknown }) => {
  const text = JSON.stringify(value, null, 2) ?? ""
  const parts: Array<JSX.Element | string> = []
  let last = 0
  for (const found of text.matchAll(
    /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
  )) {
    parts.push(text.slice(last, found.index))
    const kind = found[2] !== undefined ? "j-key" : found[1] !== undefined ? "j-text" : "j-word"
    const token = found[1] ?? found[0]
    parts.push(
      <span class={kind} key={found.index}>
        {token}
      </span>
    )
    last = found.index + token.length
  }
  parts.push(text.slice(last))
  return (
    <div class="json">
      <Copy text={text} />
      <pre>{parts}</pre>
    </div>
  )
}
