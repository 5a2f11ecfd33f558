import type { Rule, RuleInput } from '../../../src/rules/types.ts'

/** A rule while it is edited. Members that its action does not use are kept, in case the action is changed back. */
export interface RuleDraft {
  match: string
  action: Rule['action']
  /** Numbers as the fields give them: '' for none. */
  code: number | ''
  enhanced_code: string
  text: string
  delay_ms: number | ''
  times: number | ''
}

/** A description of each action, for its choice. */
export const actionWords: Readonly<Record<Rule['action'], string>> = {
  reject: 'Reject',
  delay: 'Delay',
  greylist: 'Greylist',
  drop: 'Drop the connection',
  accept: 'Accept',
}

/** @param rule  The one to edit; absent for a new one. */
export function toDraft(rule?: Rule): RuleDraft {
  const empty = { match: '', action: 'reject', code: '', enhanced_code: '', text: '' } as const
  return { ...empty, delay_ms: 1000, times: '', ...rule }
}

/** The rule for the server, which fills in or refuses what was left empty. */
export function fromDraft(draft: RuleDraft): RuleInput {
  const match = draft.match.trim()
  const { action, code, enhanced_code, text, delay_ms, times } = draft
  switch (action) {
    case 'reject':
      return {
        match,
        action,
        ...(code !== '' && { code }),
        ...(enhanced_code.trim() && { enhanced_code: enhanced_code.trim() }),
        ...(text.trim() && { text: text.trim() }),
      }
    case 'delay':
      return { match, action, delay_ms: delay_ms === '' ? 0 : delay_ms }
    case 'greylist':
      return { match, action, ...(times !== '' && { times }) }
    case 'accept':
    case 'drop':
      return { match, action }
  }
}

/** The effect of a rule, in words: `550 5.1.1 No such user`. */
export function ruleWords(rule: Rule): string {
  switch (rule.action) {
    case 'reject':
      return `${rule.code} ${rule.enhanced_code} ${rule.text}`
    case 'delay':
      return `after ${rule.delay_ms.toLocaleString('en-GB')} ms`
    case 'greylist':
      return rule.times === 1 ? 'the first attempt' : `the first ${rule.times} attempts`
    case 'accept':
      return 'as without rules'
    case 'drop':
      return 'without a reply'
  }
}
