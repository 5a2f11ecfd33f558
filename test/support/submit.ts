import { createTransport, type SendMailOptions } from 'nodemailer'
import type { Localpost } from '../../src/index.ts'

/** Submits a mail over real SMTP in a connection of its own, from Bob to Ada by default. @returns The id of the email. */
export async function submit({ smtp }: Pick<Localpost, 'smtp'>, mail: SendMailOptions): Promise<string> {
  const transport = createTransport(smtp)
  try {
    const defaults = { from: 'bob@acme.test', to: 'ada@example.com' }
    const { response } = await transport.sendMail({ ...defaults, ...mail })
    const id = /captured as (em_\w+)/.exec(response)?.[1]
    if (id === undefined) throw new Error(`There is no id in ${response}`)
    return id
  } finally {
    transport.close()
  }
}
