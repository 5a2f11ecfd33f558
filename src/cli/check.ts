import { stat } from 'node:fs/promises'
import { z } from 'zod'
import { assertCheckOptions, serviceMembers, type MailCheckOptions } from '../checks/options.ts'
import { readSendingKnowledge } from '../checks/knowledge.ts'
import { readRawFacts } from '../checks/raw-facts.ts'
import { createMailChecks } from '../checks/mail-checks.ts'
import type { CheckReport, Finding } from '../checks/types.ts'
import { systemClock } from '../core/clock.ts'
import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { createOutgoing } from '../net/outgoing.ts'
import type { LocalpostOptions } from '../options/options.ts'
import type { Arguments } from './arguments.ts'
import { checkFormats, type CheckedMessage } from './check-formats.ts'
import { readCheckedFile } from './checked-file.ts'
import { matchingMails } from './mail-list.ts'
import type { Output } from './output.ts'
import { connect, readAnswer } from './remote.ts'
import { createInstanceThread } from '../instance/jobs.ts'
import { resolveSettings } from './settings.ts'

/**
 * Runs `localpost check`: checks message files, the message on standard input, or the mail of a running Localpost.
 *
 * @returns The exit code: 0 if nothing was found that is as severe as `--fail-on`, else 1.
 * @throws invalid_option for an invalid command line; request_failed if a file cannot be read or the server does not
 *   answer.
 */
export async function runCheck(given: Arguments, output: Output): Promise<0 | 1> {
  if (given.words.length === 0)
    throw invalidOption('check needs files, - for standard input, or a query: localpost check mail.eml')
  const failOn = oneOf('fail-on', given.flags['fail-on'] ?? 'error', ['error', 'warning'])
  const format = oneOf('format', given.flags['format'] ?? 'text', ['text', 'json', 'junit', 'sarif'])
  const { options } = await resolveSettings(given, process.env, process.cwd())
  assertCheckOptions(options.checks, 'option "checks"', 'invalid_option', serviceMembers)
  const messages = (await areFiles(given.words))
    ? await checkFiles(given.words, options, isLive(given))
    : await checkMatches(given, options.checks, output)
  if (messages.length === 0) {
    output.error(`No mail matches ${quote(given.words.join(' '))}; nothing was checked.`)
    return 1
  }
  const fails = ({ severity }: Finding): boolean =>
    severity === 'error' || (failOn === 'warning' && severity === 'warning')
  output.log(checkFormats[format](messages, fails))
  return messages.some(({ report }) => report.findings.some(fails)) ? 1 : 0
}

const isLive = ({ flags }: Arguments): boolean => flags['live'] === 'true'

function oneOf<T extends string>(flag: string, value: string, values: readonly T[]): T {
  const found = values.find((one) => one === value)
  if (found !== undefined) return found
  throw invalidOption(`--${flag} is ${quote(value)}; it takes ${values.join(' or ')}.`)
}

/** Whether the arguments name files. A missing file is an error, not a query. */
async function areFiles(words: readonly string[]): Promise<boolean> {
  for (const word of words) {
    if (word === '-' || (await stat(word).catch(() => null))?.isFile()) return true
    // A key of a query has at least two letters; a drive such as `C:` has one.
    if (!/^-?[a-z_]{2,}:/i.test(word) && /\.eml$|[/\\]/i.test(word)) return true
  }
  return false
}

async function checkFiles(
  names: readonly string[],
  options: LocalpostOptions,
  live: boolean,
): Promise<CheckedMessage[]> {
  const { except, clients, spamd = null, rspamd = null, ...given } = options.checks ?? {}
  const sending = await readSendingKnowledge(given)
  // Nothing listens here, so only what `allowOutgoing` can never permit is refused.
  const { relayProblemOf, liveProblemOf } = createOutgoing(options.allowOutgoing ?? [])
  // Never matches: nothing is tracked here.
  const trackingUrl = (): string => 'http://localpost/t/'
  const services = { spamd, rspamd, serviceProblemOf: relayProblemOf, liveProblemOf, trackingUrl }
  const thread = createInstanceThread()
  const check = createMailChecks(thread, systemClock, { services })
  const messages: CheckedMessage[] = []
  try {
    // One after the other, so that many large messages are not in memory at once.
    for (const name of names) {
      const { mail, bytes } = await readCheckedFile(name)
      const shown = name === '-' ? 'stdin' : name
      const context = { raw: async () => bytes, live, knowledge: { ...sending, raw: readRawFacts(bytes) } }
      const report = await check(mail, { except, clients }, context)
      messages.push({ name: shown, file: name === '-' ? null : name, report })
    }
  } finally {
    await thread.close()
  }
  return messages
}

async function checkMatches(
  given: Arguments,
  options: MailCheckOptions | undefined,
  output: Output,
): Promise<CheckedMessage[]> {
  const remote = await connect(given, process.env, output)
  const { except, clients } = options ?? {}
  // What is not set here is left to the configuration of the server.
  const wanted = new URLSearchParams({
    ...(except && except.length > 0 && { except: except.join(',') }),
    ...(clients && clients.length > 0 && { clients: clients.join(',') }),
    ...(isLive(given) && { live: 'true' }),
  })
  const messages: CheckedMessage[] = []
  for await (const { id, subject } of matchingMails(remote, given.words.join(' '))) {
    const path = `/dev/inbox/${id}/checks?${wanted.toString()}`
    const complaint = 'answered without findings: it is an older Localpost, or none.'
    const report = await readAnswer(remote, reportSchema, complaint, path)
    messages.push({ name: `${id} ${JSON.stringify(subject)}`, file: null, report })
  }
  return messages
}

const reportSchema = z.object({
  findings: z.array(z.custom<CheckReport['findings'][number]>()),
  checks: z.array(z.custom<CheckReport['checks'][number]>()),
})
