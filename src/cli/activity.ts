import { defaultAccount } from '../accounts/schema.ts'
import { systemClock, type Clock } from '../core/clock.ts'
import { shorten } from '../core/quote.ts'
import type { Activity } from '../instance/activity.ts'
import type { LogEvent } from './json-line.ts'
import { type Output, paint } from './output.ts'
import { visible } from './visible.ts'

/** The lines that the command prints while it runs. */
export interface ActivityLines {
  /** Prints a line. Only counts it before `begin`, beyond ten a second (1,000 in JSON), and while the output is not read. */
  add(activity: Activity): void
  /** @param url  The base URL of the page. */
  begin(url: string): void
  /** Tells how many lines were left out at last. */
  end(): void
}

/** Prints one line for each stored mail and each refusal. */
export function createActivityLines(
  output: Pick<Output, 'log' | 'canLog' | 'isJson'>,
  clock: Clock = systemClock,
): ActivityLines {
  let url: string | null = null
  let cancel: (() => void) | null = null
  let shown = 0
  let leftOut = { mail: 0, refusal: 0 }
  // People cannot read more lines in a second; programs can.
  const maxPerSecond = output.isJson ? 1000 : 10

  function endSecond(): void {
    cancel?.()
    cancel = null
    shown = 0
    const { mail, refusal } = leftOut
    if (mail + refusal === 0 || !output.canLog()) return
    leftOut = { mail: 0, refusal: 0 }
    if (output.isJson) return output.log('', { what: 'left_out', mails: mail, refusals: refusal })
    const parts = [countOf(mail, 'mail'), countOf(refusal, 'refusal')].filter(Boolean).join(' and ')
    output.log(paint('dim', `${' '.repeat(10)}… ${parts} more`))
  }

  return {
    add(activity) {
      // Nothing is written for a line that is left out, so that a flood of mail costs next to nothing here.
      cancel ??= clock.after(1000, endSecond)
      if (url === null || shown >= maxPerSecond || !output.canLog()) leftOut[activity.kind]++
      else {
        shown++
        if (output.isJson) output.log('', eventOf(activity, url))
        else output.log(lineOf(activity, url, clock.now()))
      }
    },
    begin: (pageUrl) => void (url = pageUrl),
    end: endSecond,
  }
}

function lineOf(activity: Activity, url: string, now: number): string {
  const time = paint('dim', new Date(now).toTimeString().slice(0, 8))
  if (activity.kind === 'refusal') {
    const { command, reply, client } = activity
    const said = [short(command, 80), short(reply, 120)].filter(Boolean).join(' → ')
    const from = client === '' ? '' : `  ${paint('dim', `from ${short(client, 45)}`)}`
    return `${time}  ${paint('yellow', 'refused')}  ${said}${from}`
  }
  const { subject, envelope } = activity.email
  const [first = '', ...others] = envelope.rcpt_to
  const more = others.length === 0 ? '' : ` +${others.length}`
  const way = `${short(envelope.mail_from, 40) || '<>'} → ${short(first, 40)}${more}`
  const about = subject.trim() === '' ? paint('dim', '(no subject)') : paint('bold', short(subject, 60))
  return `${time}  ${way.padEnd(36)}  ${about}  ${paint('cyan', url + pathOf(activity))}`
}

function eventOf(activity: Activity, url: string): LogEvent {
  if (activity.kind === 'refusal') {
    const { command, reply, client, account, durationMs: duration_ms } = activity
    return {
      what: 'refused',
      account,
      command: shorten(command, 80),
      reply: shorten(reply, 200),
      client: client === '' ? undefined : shorten(client, 45),
      duration_ms,
    }
  }
  const { email, account, durationMs: duration_ms } = activity
  const { mail_from, rcpt_to } = email.envelope
  return {
    what: 'mail.captured',
    account: account ?? defaultAccount,
    id: email.id,
    mail_from: shorten(mail_from, 320),
    rcpt_to: rcpt_to.slice(0, 10).map((recipient) => shorten(recipient, 320)),
    recipients: rcpt_to.length,
    subject: shorten(email.subject, 200),
    size_bytes: email.message?.size_bytes,
    url: `${url}${pathOf(activity)}`,
    duration_ms,
  }
}

/** The address of a mail at the page, without the base. */
function pathOf({ account, email }: Extract<Activity, { kind: 'mail' }>): string {
  return `/#/${account === null ? '' : `a/${encodeURIComponent(account)}/`}mail/${email.id}`
}

/** A text of a client, in one line that is at most so long and cannot change the terminal. */
function short(text: string, maxLength: number): string {
  return visible(shorten(text, maxLength)).trim()
}

function countOf(count: number, one: string): string {
  return count === 0 ? '' : `${count.toLocaleString('en-GB')} ${count === 1 ? one : `${one}s`}`
}
