/** Whom an order belongs to, as it is stored: an account by its id, or one user of it, whose name follows after a blank. */

export const orderOwner = (accountId: number, user: string | undefined): string =>
  user === undefined ? String(accountId) : `${accountId} ${user}`

export const isOrderOwner = (text: string): boolean => /^(?:0|[1-9][0-9]{0,15})(?: .+)?$/s.test(text)
