import type { ProviderInfo } from '../../../src/server/types.ts'

/** The addresses and credentials by which an app reaches this instance. */
export interface Place {
  /** Without a trailing slash. */
  base: string
  host: string
  port: number
  /** `""` if the server does not send it. */
  key: string
  /** The SMTP login, which names the account of the mail; null for `default`, which accepts mail without a login. */
  login: { user: string; password: string } | null
}

/** Ready pieces of code and configuration, each with the values of this instance in it. */
export function snippetsFor({ base, host, port, key, login }: Place): { name: string; text: string }[] {
  const secret = key || 'YOUR_API_KEY'
  const mail = `{
    from: 'Acme <hello@acme.test>',
    to: 'ada@example.com',
    subject: 'Hello',
    text: 'It works',
  }`
  return [
    {
      name: 'fetch',
      text: `await fetch('${base}/v1/emails', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${secret}',
    'content-type': 'application/json',
  },
  body: JSON.stringify(${mail}),
})`,
    },
    {
      name: 'curl',
      text: `curl '${base}/v1/emails' \\
  -H 'Authorization: Bearer ${secret}' \\
  -H 'Content-Type: application/json' \\
  -d '{
    "from": "Acme <hello@acme.test>",
    "to": "ada@example.com",
    "subject": "Hello",
    "text": "It works"
  }'`,
    },
    {
      name: 'nodemailer',
      text: `const transport = nodemailer.createTransport({
  host: '${host}',
  port: ${port},
  secure: false,${login ? `\n  auth: { user: '${login.user}', pass: '${login.password}' },` : ''}
})
await transport.sendMail(${mail.replace(/^ {2}/gm, '')})`,
    },
    {
      name: 'Rails',
      text: `config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = {
  address: '${host}',
  port: ${port},${login ? `\n  user_name: '${login.user}',\n  password: '${login.password}',\n  authentication: :plain,` : ''}
}`,
    },
    {
      name: 'Django',
      text: `EMAIL_HOST = '${host}'\nEMAIL_PORT = ${port}\nEMAIL_USE_TLS = False${login ? `\nEMAIL_HOST_USER = '${login.user}'\nEMAIL_HOST_PASSWORD = '${login.password}'` : ''}`,
    },
    {
      name: 'Laravel',
      text: `MAIL_MAILER=smtp\nMAIL_HOST=${host}\nMAIL_PORT=${port}\nMAIL_ENCRYPTION=null${login ? `\nMAIL_USERNAME=${login.user}\nMAIL_PASSWORD=${login.password}` : ''}`,
    },
    {
      name: 'Go',
      text: `${login ? `auth := smtp.PlainAuth("", "${login.user}", "${login.password}", "${host}")\n` : ''}message := []byte("Subject: Hello\\r\\n\\r\\nIt works\\r\\n")
err := smtp.SendMail("${host.includes(':') ? `[${host}]` : host}:${port}", ${login ? 'auth' : 'nil'},
	"hello@acme.test", []string{"ada@example.com"}, message)`,
    },
    {
      name: 'Spring',
      text: `spring.mail.host=${host}\nspring.mail.port=${port}\nspring.mail.properties.mail.smtp.auth=${login ? `true\nspring.mail.username=${login.user}\nspring.mail.password=${login.password}` : 'false'}`,
    },
  ]
}

/** The same for apps that use the SDK of a provider: the variables that it reads, or a program. */
export function sdkSnippets(
  providers: readonly ProviderInfo[],
  { base, key }: Pick<Place, 'base' | 'key'>,
): { name: string; text: string }[] {
  const filled = (text: string): string =>
    text.replaceAll('{url}', base).replaceAll('{key}', key || 'YOUR_API_KEY')
  return providers.map(({ title, variables, code }) => {
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
    return { name: title, text: filled(`${lines.join('\n')}\n\n${code}`) }
  })
}
