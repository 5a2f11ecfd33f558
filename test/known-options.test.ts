import { expect, it } from 'vitest'
import { createLocalpost } from '../src/index.ts'
import { nearest } from '../src/nearest.ts'

// As from JavaScript, where no compiler objects.
const slip = (name: string, value: unknown): object => ({ [name]: value })

it('refuses a slip in the options of a call before anything happens', async () => {
  await using post = await createLocalpost()
  await post.domains.create({ name: 'acme.test' })
  const slips: [call: () => Promise<unknown>, said: string][] = [
    [() => post.reset(slip('keeep', ['domains'])), 'Unknown option "keeep" of reset(). Did you mean "keep"?'],
    [() => post.listen(slip('prot', 8025)), 'Unknown option "prot" of listen(). Did you mean "port"?'],
    [() => post.inbox.waitFor('x', slip('timeout', 5)), 'Unknown option "timeout" of waitFor()'],
    [
      () => post.inbox.waitFor('x', { timeoutMs: Number.NaN }),
      'Option "timeoutMs" takes milliseconds from 0',
    ],
    [
      () => post.inbox.waitForCount('x', 1, { timeoutMs: -1 }),
      'Option "timeoutMs" takes milliseconds from 0, not -1',
    ],
    [
      () => post.inbox.expectNone('x', { withinMs: -1 }),
      'Option "withinMs" takes milliseconds from 0, not -1',
    ],
  ]
  for (const [call, said] of slips) {
    await expect(call()).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(said) as unknown,
    })
  }
  expect(post.url).toBeNull()
  expect((await post.domains.list()).count).toBe(1)
})

it('finds the nearest name by its last word too', () => {
  expect(nearest('prot', ['smtpHost', 'smtpPort', 'dir'])).toBe('smtpPort')
  expect(nearest('prot', ['smtpPort', 'port'])).toBe('port')
  expect(nearest('timeout', ['maxAgeMs', 'after'])).toBeUndefined()
})
