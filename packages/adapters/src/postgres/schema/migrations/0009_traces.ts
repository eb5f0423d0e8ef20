/** The trace context of the call that wrote an event; null if it was not traced. */
export const traces = `
ALTER TABLE petstore_events ADD COLUMN trace text COLLATE "C";
ALTER TABLE petstore_pending ADD COLUMN trace text COLLATE "C";
`
