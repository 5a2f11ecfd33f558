import { keptDrafts } from '../shared/kept-drafts.ts'

/** A broadcast while it is written. */
export interface BroadcastDraft {
  from: string
  subject: string
  html: string
  text: string
}

/** What is not sent yet, by the id of its audience. */
export const useDrafts: () => Map<string, BroadcastDraft> = keptDrafts('broadcasts')
