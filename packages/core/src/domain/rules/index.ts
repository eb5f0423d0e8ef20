export { type DeclaredRefusal, RuleRefusal, type RuleRefusalClass, refusal } from "./RuleRefusal.ts"
export type {
  AffectedPet,
  Proposal,
  Proposals,
  ProposedCancellation,
  ProposedOrder,
  ProposedPet,
  ProposedStatus,
  Rule,
  Rules
} from "./Rules.ts"
