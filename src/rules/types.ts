// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** What a rule does, as it is given; see {@link Rule} for what is filled in. */
export type RuleInput =
  | {
      /** An address, a domain, or a pattern with `*`; the first rule that matches a recipient wins. */
      match: string
      action: 'accept' | 'drop'
    }
  | {
      /** An address, a domain, or a pattern with `*`; the first rule that matches a recipient wins. */
      match: string
      action: 'reject'
      /** Default: 550. */
      code?: number
      /** Default: by the code. */
      enhanced_code?: string
      /** The text of the reply, one line. */
      text?: string
    }
  | {
      /** An address, a domain, or a pattern with `*`; the first rule that matches a recipient wins. */
      match: string
      action: 'delay'
      /** Milliseconds; at most 60,000. */
      delay_ms: number
    }
  | {
      /** An address, a domain, or a pattern with `*`; the first rule that matches a recipient wins. */
      match: string
      action: 'greylist'
      /** How many attempts per email and recipient are answered 451. Default: 1. */
      times?: number
    }

/** One rule: what the recipient's server says to the recipients that `match` names. */
export type Rule =
  | {
      /** An address, a domain, or a pattern with `*`. */
      match: string
      action: 'accept'
    }
  | {
      /** An address, a domain, or a pattern with `*`. */
      match: string
      /** The connection is cut, without a reply. */
      action: 'drop'
    }
  | {
      /** An address, a domain, or a pattern with `*`. */
      match: string
      action: 'reject'
      /** 400 to 599. */
      code: number
      /** As RFC 3463 has it. */
      enhanced_code: string
      /** The text of the reply, one line. */
      text: string
    }
  | {
      /** An address, a domain, or a pattern with `*`. */
      match: string
      /** Waits before the reply, and then accepts. */
      action: 'delay'
      /** Milliseconds. */
      delay_ms: number
    }
  | {
      /** An address, a domain, or a pattern with `*`. */
      match: string
      /** 451 4.7.1 for the first attempts, and then accepts. */
      action: 'greylist'
      /** How many attempts per email and recipient are answered 451. */
      times: number
    }
