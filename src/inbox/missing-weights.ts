import { shorten } from '../core/quote.ts'
import type { MissingCause, MissingEvidence } from './missing-types.ts'

/** A cause with its weight of {@link causeWeights}. */
export interface Weighed extends MissingCause {
  readonly weight: number
}

/** One piece of evidence. Without `id` or `time` it has none; the text may be of any length. */
export type Evidence = Partial<Pick<MissingEvidence, 'id' | 'time'>> & Pick<MissingEvidence, 'text'>

type CauseFacts = Pick<Weighed, 'weight' | 'cause' | 'message' | 'remedy'> & {
  /** Default: null. */
  reason?: MissingCause['reason']
  kind: MissingEvidence['kind']
  evidence: readonly Evidence[]
}

/** Makes a cause of its evidence, all of one kind: its newest pieces are shown. */
export function weigh({ kind, evidence, reason = null, ...cause }: CauseFacts): Weighed {
  const all = evidence.map(({ id = null, time = null, text }) => ({ kind, id, time, text }))
  const newest = all.sort((one, other) => (other.time ?? 0) - (one.time ?? 0)).slice(0, maxEvidence)
  const shown = newest.map((one) => ({ ...one, text: shorten(one.text, maxTextLength) }))
  return { ...cause, reason, count: evidence.length, evidence: shown }
}

/** The weight of each cause, by its code or a name of its own; `causesOf` lists the heaviest first. */
export const causeWeights = {
  // The state of a mail that is there.
  suppressed: 96,
  rule: 95,
  simulator: 94,
  bounced: 93,
  failed: 92,
  pending: 90,
  arrived: 89,
  scheduled: 88,
  /** A session or a request that names the recipient. */
  namingAttempt: 80,
  other_account: 75,
  similar_recipient: 70,
  /** A session or a request that failed, for any recipient. */
  otherAttempt: 60,
  /** A rule for the address, while rules refuse submissions, so that refused mail is not stored. */
  rejectingRule: 58,
  no_attempt: 56,
  // What is set to stop mail, whether or not it has stopped one.
  standingRule: 51,
  standingSuppression: 50,
  fault: 49,
  other_recipient: 40,
  retention: 35,
  harmlessSession: 30,
} as const

const maxEvidence = 5
const maxTextLength = 300

/** A time in ISO 8601, within the limits of `Date`. */
export function timeText(ms: number): string {
  return new Date(Math.min(8.64e15, Math.max(-8.64e15, ms))).toISOString()
}
