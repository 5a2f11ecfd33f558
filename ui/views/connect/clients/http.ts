import { type Client, lines, mail, shell, single } from '../place.ts'

const body = (name: string): string =>
  `{ from: ${single(mail.from)}, to: ${single(mail.to)}, subject: ${single(`From ${name}`)}, text: ${single(mail.text)} }`

/** Clients of the API. */
export const httpClients: readonly Client[] = [
  {
    name: 'fetch',
    language: 'js',
    where: null,
    code: ({ base, key }) =>
      lines(
        `const response = await fetch(${single(`${base}/v1/emails`)}, {`,
        `  method: 'POST',`,
        `  headers: {`,
        `    authorization: ${single(`Bearer ${key || 'YOUR_API_KEY'}`)},`,
        `    'content-type': 'application/json',`,
        `  },`,
        `  body: JSON.stringify(${body('fetch')}),`,
        `})`,
        `console.log(await response.json())`,
      ),
    notes: null,
  },
  {
    name: 'curl',
    language: 'sh',
    where: null,
    code: ({ base, key }) =>
      lines(
        `curl ${shell(`${base}/v1/emails`)} \\`,
        `  -H ${shell(`Authorization: Bearer ${key || 'YOUR_API_KEY'}`)} \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d ${shell(JSON.stringify({ ...mail, subject: 'From curl' }))}`,
      ),
    notes: null,
  },
]
