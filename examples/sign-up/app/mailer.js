import { createTransport } from 'nodemailer'

/**
 * Sends mail the way the app is told to: over SMTP, or through an API with a key.
 *
 * @param {{ smtp: { host: string, port: number } } | { apiUrl: string, apiKey: string }} to
 * @returns {(mail: { from: string, to: string, subject: string, text: string, html: string }) => Promise<void>}
 */
export function createMailer(to) {
  if ('smtp' in to) {
    const transport = createTransport(to.smtp)
    return async (mail) => void (await transport.sendMail(mail))
  }
  return async (mail) => {
    const response = await fetch(`${to.apiUrl}/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${to.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(mail),
    })
    if (!response.ok) throw new Error(`The mail was refused: ${await response.text()}`)
  }
}
