import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"

const handler = createHandler(await createPetstore())

/** The sizes of the files of the reference page, in characters. */
const sizes: Record<string, number> = {}
for (const path of [
  "docs",
  "docs/petstore.css",
  "docs/petstore.js",
  "docs/swagger-ui.css",
  "docs/swagger-ui-bundle.js"
]) {
  const response = await handler.fetch(new Request(`http://localhost/${path}`))
  sizes[path] = response.status === 200 ? (await response.text()).length : -response.status
}
console.log(JSON.stringify(sizes))
