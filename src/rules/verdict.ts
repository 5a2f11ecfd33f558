/** How the recipient's server answers one recipient. */
export type Verdict =
  | { action: 'accept' }
  | { action: 'reject'; reply_code: number; enhanced_code: string; text: string }
  /** Accepts after this time. */
  | { action: 'delay'; delay_ms: number }
  /** Cuts the connection without a reply. */
  | { action: 'drop' }
