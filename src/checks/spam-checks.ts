import { askRspamd } from './rspamd.ts'
import type { AskInput, AskingCheck, CheckResult, Found } from './check.ts'
import { askSpamd, parseEndpoint, type SpamVerdict } from './spamd.ts'

/** Checks by spam filters that the operator runs. */
export const spamChecks: readonly AskingCheck[] = [
  {
    id: 'spamassassin',
    title: 'SpamAssassin does not take the mail for spam',
    headline: 'SpamAssassin sees signs of spam',
    severity: 'error',
    about:
      'The score of the SpamAssassin that `--spamd host:port` names. A score at or above its limit is an error; each rule ' +
      'that adds points is a note. Filters of others score differently: it shows what looks like spam.',
    fix: 'Look at the rules with the most points first.',
    link: 'https://spamassassin.apache.org/',
    async ask(asked) {
      const endpoint = parseEndpoint(asked.services.spamd ?? '')
      if (!endpoint) return null
      const { services, signal } = asked
      return verdictOf(asked, 'SpamAssassin', (message) =>
        askSpamd(endpoint, message, { problemOf: services.serviceProblemOf, signal }),
      )
    },
  },
  {
    id: 'rspamd',
    title: 'rspamd does not take the mail for spam',
    headline: 'rspamd sees signs of spam',
    severity: 'error',
    about:
      'The score of the rspamd that `--rspamd url` names. A score at or above its limit is an error, a lower one with which ' +
      'rspamd marks mail as spam a warning; each symbol that adds points is a note. Where it wants a password, write ' +
      '`http://:password@127.0.0.1:11334`.',
    fix: 'Look at the symbols with the most points first.',
    link: 'https://rspamd.com/',
    async ask(asked) {
      const { services, signal } = asked
      const { rspamd } = services
      if (rspamd === null) return null
      return verdictOf(asked, 'rspamd', (message) =>
        askRspamd(rspamd, message, { problemOf: services.serviceProblemOf, signal }),
      )
    },
  },
]

/** Rules that add less, or subtract, say little of why a mail is spam. SpamAssassin gives rules under test 0.01. */
const minPoints = 0.1

async function verdictOf(
  asked: AskInput,
  filter: string,
  ask: (message: Uint8Array) => Promise<SpamVerdict>,
): Promise<CheckResult> {
  const raw = await asked.raw()
  if (!raw)
    return { skipped: `${filter} is not asked: the message is not written yet, or has more than 1 MB.` }
  const { score, required, mark, rules } = await ask(raw)
  const isRefused = score >= required
  const message =
    mark === null || isRefused
      ? `${filter} gives ${score} points; from ${required} on it is spam.`
      : `${filter} gives ${score} points and ${mark}; from ${required} on it refuses it.`
  const notes = rules
    .filter(({ points }) => points >= minPoints)
    .toSorted((a, b) => b.points - a.points)
    .map(({ name, points, description }): Found => {
      const suffix =
        description === '' || description === 'No description available.' ? '' : `: ${description}`
      return { severity: 'note', message: `${name} adds ${points}${suffix.replace(/\.$/, '')}.` }
    })
  const isMarked = isRefused || mark !== null
  const verdict: Found[] = isMarked ? [{ severity: isRefused ? 'error' : 'warning', message }] : []
  return { found: [...verdict, ...notes], message }
}
