/** The trace context of the call that queued a message; null if it was not traced. */
export const messageTraces = `
ALTER TABLE petstore_messages ADD COLUMN trace text COLLATE "C";
`
