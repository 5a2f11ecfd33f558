import { expect, test } from 'vitest'
import { z } from 'zod'
import { fileNames, listNames, mimeSchema, sendSchema } from '../../../src/providers/mailgun/send-schema.ts'
import { start } from '../../support/instance.ts'
import { mail, mailgunCaller, messages, settled, type FormValue } from './_mailgun.ts'

const raw = 'From: hi@acme.test\r\nTo: ada@example.com\r\nSubject: Hello\r\n\r\nIt works.\r\n'
const injected = 'x\r\nBcc: eve@example.com'

interface Member {
  not?: object
  enum?: string[]
  maxLength?: number
}

function membersOf(schema: z.ZodType): [string, Member][] {
  const { properties } = z.toJSONSchema(schema, { io: 'input' }) as { properties: Record<string, Member> }
  return Object.entries(properties)
}

test.each([
  ['', sendSchema, mail],
  ['.mime', mimeSchema, { to: mail.to, message: raw }],
] as const)(
  'messages%s refuses each parameter that is wrong, names it, and stores nothing',
  async (end, schema, given) => {
    const post = await start()
    const call = mailgunCaller(post)
    const members = membersOf(schema)
    expect(members.length).toBeGreaterThan(20)
    for (const [name, { not, enum: values, maxLength }] of members) {
      const isFile = fileNames.has(name)
      const wrong: FormValue[] = [
        ...(isFile ? ['a text'] : name === 'message' ? [] : [new File(['x'], 'a.txt')]),
        ...(listNames.has(name) ? [] : [['a', 'b']]),
        ...(not ? ['x'] : []),
        ...(values ? ['maybe', '', injected] : []),
        ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
      ]
      for (const value of wrong) {
        const { status, body } = await call('POST', messages + end, { form: { ...given, [name]: value } })
        expect([name, status, body.message]).toEqual([name, 400, expect.stringContaining(`'${name}`)])
      }
    }
    const names = [
      'unknown',
      'o:unknown',
      't:unknown',
      'From',
      'h',
      'v',
      'to[0][1]',
      '__proto__',
      'constructor',
    ]
    for (const name of names) {
      const { status, body } = await call('POST', messages + end, { form: { ...given, [name]: 'x' } })
      expect([name, status, body.message]).toEqual([name, 400, expect.stringContaining(name)])
    }
    for (const name of Object.keys(given)) {
      const { status, body } = await call('POST', messages + end, { form: { ...given, [name]: [] } })
      expect([name, status, body.message]).toEqual([name, 400, expect.stringContaining(`'${name}'`)])
    }
    expect([(await post.emails.list()).count, (await post.sending.scheduled.list()).count]).toEqual([0, 0])
  },
)

test('no parameter adds a field or a recipient by a line break', async () => {
  const post = await start()
  const call = mailgunCaller(post)
  const names = [...membersOf(sendSchema).map(([name]) => name), 'h:X-A', 'h:Reply-To', 'h:Message-Id', 'v:a']
  const taken: string[] = []
  for (const name of names) {
    const value = fileNames.has(name) ? new File(['x'], 'a.txt', { type: injected }) : injected
    const { status } = await call('POST', messages, { form: { ...mail, [name]: value } })
    expect(status, name).toBeOneOf([200, 400])
    if (status === 200) taken.push(name)
  }
  expect(taken.sort()).toEqual(
    [
      'attachment',
      'html',
      'inline',
      'o:sending-ip',
      'o:sending-ip-pool',
      'o:suppress-headers',
      'o:tag',
      'text',
      'v:a',
    ].sort(),
  )
  await settled(post)
  for (const { id } of (await post.inbox.list({ limit: 100 })).items) {
    const { envelope, headers } = await post.inbox.get(id)
    expect([envelope.rcpt_to, headers.filter(([field]) => /^bcc$/i.test(field))]).toEqual([[mail.to], []])
  }
})
