import type { clientSupportJobs } from '../client-support/preview.ts'
import { previewedClient } from '../client-support/preview-clients.ts'
import type { JobThread } from '../core/job-thread.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { Details } from './detail.ts'
import type { Inbox } from './methods.ts'
import type { Mail } from './types.ts'

interface ClientViewDeps {
  /** @throws not_found. */
  find(id: string): Promise<EmailRecord>
  details: Pick<Details, 'read' | 'inTurn'>
  /** Where the HTML is read. */
  thread: JobThread<typeof clientSupportJobs>
  idOf(mail: string | Pick<Mail, 'id'>): string
}

/** Mails as mail clients show them. */
export function createClientViews({
  find,
  details,
  thread,
  idOf,
}: ClientViewDeps): Pick<Inbox, 'clientSupport' | 'preview'> {
  /** Runs work on a whole mail. Large mails take turns. */
  async function withMail<T>(
    id: string,
    signal: AbortSignal | undefined,
    work: (mail: Mail) => Promise<T>,
  ): Promise<T> {
    const email = await find(id)
    return details.inTurn([email], async () => work(await details.read(email, signal)), signal)
  }

  return {
    async clientSupport(id, options) {
      assertKnownOptions(options, ['shares', 'signal'], 'inbox.clientSupport()')
      const { shares, signal } = options ?? {}
      return withMail(id, signal, ({ html, headers, attachments }) =>
        thread.run('clientSupport', [{ html, headers, attachments }, { shares }], {
          size: html.length,
          signal,
        }),
      )
    },
    async preview(mail, options) {
      assertKnownOptions(options, ['client', 'signal'], 'inbox.preview()')
      const { signal } = options
      const { client } = previewedClient(options.client)
      return withMail(idOf(mail), signal, ({ html, attachments }) =>
        thread.run('preview', [{ html, attachments }, client], { size: html.length, signal }),
      )
    },
  }
}
