/** Deliveries to all endpoints are found by their status, and by what their events are about. */
export const deliveries = `
CREATE INDEX @petstore_deliveries_state ON petstore_deliveries (status, id);
CREATE INDEX @petstore_deliveries_about ON petstore_deliveries (subject, id);
`
