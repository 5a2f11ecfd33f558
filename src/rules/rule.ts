import type { Collection, StoredRecord } from '../store/store.ts'
import type { Rule, RuleInput } from './types.ts'

/** The rules as stored: one record, because their order matters. */
export interface RulesRecord extends StoredRecord {
  rules: Rule[]
}

/** Holds one record. */
export const rulesCollection: Collection<RulesRecord> = { name: 'rules', indexes: {} }

/** A given rule with all defaults filled in. */
export function fillRule(rule: RuleInput): Rule {
  const { match } = rule
  switch (rule.action) {
    case 'reject': {
      const { code = defaultReplyCode, text = 'Refused by a rule' } = rule
      const { enhanced_code = defaultEnhancedCode(code) } = rule
      return { match, action: 'reject', code, enhanced_code, text }
    }
    case 'delay':
      return { match, action: 'delay', delay_ms: rule.delay_ms }
    case 'greylist':
      return { match, action: 'greylist', times: rule.times ?? 1 }
    case 'accept':
    case 'drop':
      return { match, action: rule.action }
  }
}

/** How the recipient's server answers one recipient. */
export type Verdict =
  | { action: 'accept' }
  | { action: 'reject'; reply_code: number; enhanced_code: string; text: string }
  /** Accepts after this time. */
  | { action: 'delay'; delay_ms: number }
  /** Cuts the connection without a reply. */
  | { action: 'drop' }

/** The SMTP reply code of a rule that rejects and names none. */
export const defaultReplyCode = 550

/** The default RFC 3463 code for a reply code. */
export function defaultEnhancedCode(code: number): string {
  return enhancedCodes[code] ?? `${String(code).charAt(0)}.0.0`
}

const enhancedCodes: Readonly<Record<number, string>> = {
  421: '4.3.2',
  450: '4.2.1',
  451: '4.3.0',
  452: '4.2.2',
  550: '5.1.1',
  551: '5.1.6',
  552: '5.2.2',
  553: '5.1.3',
  554: '5.6.0',
}
