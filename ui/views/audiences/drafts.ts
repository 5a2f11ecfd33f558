import { keptDrafts } from '../shared/kept-drafts.ts'

/** A broadcast while it is written. */
export interface BroadcastDraft {
  from: string
  subject: string
  html: string
  text: string
}

/** Unsent drafts, by the id of the audience. */
export const useDrafts: () => Map<string, BroadcastDraft> = keptDrafts('broadcasts')
