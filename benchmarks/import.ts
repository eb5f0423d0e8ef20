/** How long the packages take to import, against `effect` itself: `npm run bench:import`. */
import { importTimes } from "../scripts/packages/support/importTimes.ts"
import { withProject } from "../scripts/packages/support/withProject.ts"
import { entries } from "../scripts/packages/support/workspace.ts"

await withProject(async ({ project }) => {
  const rows = await importTimes(project, entries)
  console.table(rows)
})
