/** The path of a consumer. Names may have a colon. */
export const consumerPath = (name: string): string => `/consumers/${encodeURIComponent(name)}`
