import { type ProposedOrder, refusal } from "@petstore/core"

export class TooManyPuppies extends refusal(
  "too_many_puppies",
  ({ limit }: { readonly limit: number }) => `An order takes at most ${limit} puppies.`
) {}

export class ClosedOnSunday extends refusal("closed_on_sunday", () => "Nothing is shipped on a Sunday.") {}

export const atMostTwoPuppies = ({ order, pet }: ProposedOrder) =>
  pet?.category.name === "Puppies" && (order.quantity ?? 0) > 2 ? new TooManyPuppies({ limit: 2 }) : undefined

export const closedOnSunday = ({ at, facts }: ProposedOrder) =>
  facts.includes("completed") && new Date(at).getUTCDay() === 0 ? new ClosedOnSunday({}) : undefined

export const rules = { order: [atMostTwoPuppies, closedOnSunday] }
