/** How transactions are committed, with the options for it. */
export const commitModes = {
  "with shared commits": {},
  "with a commit each": { groups: 0 }
} as const
