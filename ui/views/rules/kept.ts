import { keptDrafts } from '../shared/kept-drafts.ts'

/** Faults as JSON that are not applied yet, under `faults`. */
export const useDrafts: () => Map<string, string> = keptDrafts('rules')
