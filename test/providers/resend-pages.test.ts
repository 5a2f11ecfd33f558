import { expect, test } from 'vitest'
import { start } from '../support/instance.ts'
import { containing, mail, resendCaller, type ResendError } from './_resend.ts'

interface Page {
  data: { id: string }[]
  has_more: boolean
}

/** How one thing of each list is made. */
const makers = {
  emails: (i: number) => ({ from: 'hi@acme.test', to: 'ada@example.com', subject: `${i}`, text: 'x' }),
  domains: (i: number) => ({ name: `page${i}.test` }),
  webhooks: (i: number) => ({ endpoint: `http://127.0.0.1:9/${i}`, events: ['email.sent'] }),
}

test.each(Object.entries(makers))('pages the list of %s in both directions', async (name, make) => {
  const post = await start()
  const call = resendCaller(post)
  for (let i = 0; i < 5; i++) expect((await call('POST', `/${name}`, make(i))).status).toBeLessThan(300)
  // Mail of an unregistered domain adds it to the list, so the number of items differs.
  const ids = (await call<Page>('GET', `/${name}`)).body.data.map(({ id }) => id)
  const page = async (query: string): Promise<[number[], boolean]> => {
    const { body } = await call<Page>('GET', `/${name}?${query}`)
    return [body.data.map(({ id }) => ids.indexOf(id)), body.has_more]
  }
  expect(ids).toHaveLength(5)
  expect(await page('limit=2')).toEqual([[0, 1], true])
  expect(await page('limit=5')).toEqual([[0, 1, 2, 3, 4], false])
  expect(await page(`limit=2&after=${ids[1]}`)).toEqual([[2, 3], true])
  expect(await page(`limit=2&after=${ids[2]}`)).toEqual([[3, 4], false])
  expect(await page(`after=${ids[4]}`)).toEqual([[], false])
  expect(await page(`limit=2&before=${ids[4]}`)).toEqual([[2, 3], true])
  expect(await page(`limit=2&before=${ids[2]}`)).toEqual([[0, 1], false])
  expect(await page(`before=${ids[0]}`)).toEqual([[], false])
  for (const [query, status, words] of [
    ['limit=0', 422, 'limit'],
    ['limit=101', 422, 'limit'],
    [`after=${ids[0]}&before=${ids[1]}`, 422, 'together'],
    ['after=nothing', 404, 'nothing'],
    ['before=nothing', 404, 'nothing'],
    ['page=2', 422, 'page'],
  ] as const) {
    const refused = await call<ResendError>('GET', `/${name}?${query}`)
    expect([refused.status, refused.body.message], query).toEqual([status, containing(words)])
  }
})

test('an email that waits is no place in the list, and the error names its member', async () => {
  const call = resendCaller(await start())
  const { body } = await call('POST', '/emails', { ...mail, scheduled_at: 'in 1 hour' })
  for (const member of ['after', 'before']) {
    const refused = await call<ResendError>('GET', `/emails?${member}=${body.id}`)
    expect([refused.status, refused.body.message]).toEqual([422, containing(`\`${member}\` field`)])
  }
})
