import { petNames } from "../../live/petNames.ts"

export const PetName = ({ id }: { id: number | undefined }) =>
  id === undefined ? <span class="muted">none yet</span> : <span>{petNames.value.get(id) ?? `Pet ${id}`}</span>
