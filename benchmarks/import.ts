/** How long the packages take to import, against `effect` itself: `npm run bench:import`. */
import { importTimes } from "../packages/test/support/importTimes.ts"
import { withProject } from "../packages/test/support/withProject.ts"
import { entries } from "../packages/test/support/workspace.ts"

await withProject(async ({ project }) => {
  const rows = await importTimes(project, entries)
  console.table(rows)
})
