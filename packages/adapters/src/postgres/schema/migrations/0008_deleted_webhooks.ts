/** Deleted endpoints kept their URLs and secrets. Those that are deleted from here on do not. */
export const deletedWebhooks = `
UPDATE petstore_webhooks SET url = 'https://none.invalid/', secret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  previous_secret = NULL, previous_until = NULL WHERE deleted;
`
