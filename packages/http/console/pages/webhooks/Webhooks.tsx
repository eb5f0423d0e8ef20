import { mayRead } from "../../api/scopes.ts"
import { route } from "../../router.ts"
import { NoScopePage } from "../../ui/states.tsx"
import { Endpoint } from "./Endpoint.tsx"
import { Endpoints } from "./Endpoints.tsx"

export const Webhooks = () => {
  const { id } = route.value
  if (!mayRead("webhooks:read")) return <NoScopePage title="Webhooks" scope="webhooks:read" />
  return id === undefined ? <Endpoints /> : <Endpoint key={id} id={id} />
}
