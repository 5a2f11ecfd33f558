import type { Collection, StoredRecord } from '../store/store.ts'

/** What a rule does, as it is given; see {@link Rule} for what is filled in. */
export type RuleInput = { match: string } & (
  | { action: 'accept' | 'drop' }
  | { action: 'reject'; code?: number; enhanced_code?: string; text?: string }
  | { action: 'delay'; delay_ms: number }
  | { action: 'greylist'; times?: number }
)

/** One rule: what the recipient's server says to the recipients that `match` names. */
export type Rule = {
  /** An address, a domain, or a pattern with `*`; see `match.ts`. */
  match: string
} & (
  | { action: 'accept' }
  /** The connection is cut, without a reply. */
  | { action: 'drop' }
  /** `code` 400 to 599, default 550; `enhanced_code` by default what goes with the code; one line of text. */
  | { action: 'reject'; code: number; enhanced_code: string; text: string }
  /** Waits before the reply, at most a minute, and then accepts. */
  | { action: 'delay'; delay_ms: number }
  /** 451 4.7.1 the first `times` attempts per email and recipient, default 1, and then accepts. */
  | { action: 'greylist'; times: number }
)

/** The rules as stored: one record, since only the whole list has a meaning. */
export interface RulesRecord extends StoredRecord {
  rules: Rule[]
}

export const rulesCollection: Collection<RulesRecord> = { name: 'rules', indexes: {} }

/** A rule as it is given, with everything filled in that was left out. */
export function fillRule(rule: RuleInput): Rule {
  const { match } = rule
  switch (rule.action) {
    case 'reject': {
      const { code = 550, text = 'Refused by a rule' } = rule
      return {
        match,
        action: 'reject',
        code,
        enhanced_code: rule.enhanced_code ?? enhancedCodeOf(code),
        text,
      }
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

/** The default RFC 3463 code for a reply code. */
export function enhancedCodeOf(code: number): string {
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
