/** Whether a value is an origin as browsers send it, or no page would ever match (RFC 6454, section 6.2). */
export const isOrigin = (value: unknown): boolean =>
  typeof value === "string" && /^(?:[a-z][a-z\d+.-]*:\/\/[^\s/?#]+|null)$/.test(value)
