import { expect, it } from 'vitest'
import { z } from 'zod'
import { LocalpostError } from '../../src/core/errors.ts'
import { errorAnswer } from '../../src/server/answer.ts'
import { keyHeaders } from '../providers/_authorization.ts'
import { start } from '../support/instance.ts'
import { hollowApp } from './validate-response.ts'

/** Every number in a query, by the table of routes. */
const numbers = hollowApp().routes.flatMap(({ method, path, query, face }) => {
  const refused = errorAnswer(new LocalpostError('validation_error', ''), face, path).status
  const { properties = {}, required = [] } = query
    ? z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
    : {}
  const names = Object.entries(properties)
    .filter(([, property]) => typeof property === 'object' && property.type === 'integer')
    .map(([name]) => name)
  return names.map((name) => {
    const others = names.filter((one) => one !== name && required.includes(one)).map((one) => `&${one}=1`)
    // Mailpit takes an empty one as absent, and MailHog's have the same names. A search also needs its query.
    const isAbsent = /^(?:mailpit|mailhog)$/.test(face?.name ?? '') && !path.endsWith('/search')
    const empty = isAbsent ? 200 : refused
    return [`${method} ${path}`, name, { refused, empty }, others.join('')] as const
  })
})

it.each(numbers)('%s takes %s in digits only', async (route, name, { refused, empty }, others) => {
  const post = await start()
  const [method = '', path = ''] = route.split(' ')
  // Nothing comes that a request could wait for.
  const wait = path.endsWith('/wait') && name !== 'timeout_ms' ? '&timeout_ms=1' : ''
  const ask = async (value: string): Promise<number> => {
    const url = `http://localhost${path.replace(/\{\w+\}/g, 'x')}?${name}=${value}${others}${wait}`
    const headers = keyHeaders(path, post.apiKey)
    return (await post.fetch(new Request(url, { method, headers }))).status
  }
  expect(await ask('')).toBe(empty)
  for (const value of ['%20', '1e2', '0x1', '1.0', '%201', '+1', 'x', '-1'])
    expect([value, await ask(value)]).toEqual([value, refused])
  expect(await ask('1')).not.toBe(422)
})

it('there are numbers in queries', () => {
  expect(numbers.length).toBeGreaterThan(5)
})

it.each(['00', '01', '+1', '1e0', '0x0', '-0', '1.0'])(
  'a part and an attachment are not at /%s',
  async (index) => {
    const post = await start()
    const { id } = await post.inbox.import(
      Buffer.from(
        'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\nContent-Disposition: attachment\r\n\r\ny\r\n--b--\r\n',
      ),
    )
    for (const kind of ['parts', 'attachments']) {
      const status = async (at: string): Promise<number> =>
        (await post.fetch(new Request(`http://localhost/dev/inbox/${id}/${kind}/${at}`))).status
      expect([kind, await status('0'), await status(index)]).toEqual([kind, 200, 404])
    }
  },
)
