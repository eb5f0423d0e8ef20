/** The latest attempts of a delivery. Those of before were not recorded one by one. */
export const attempts = "ALTER TABLE petstore_deliveries ADD COLUMN latest_attempts TEXT;"
