import { expect, it } from 'vitest'
import { LocalpostError, type ErrorCode } from '../../src/core/errors.ts'
import { createDigests } from '../../src/search/digests.ts'
import { anEmail } from '../inbox/_email.ts'

const digestsWith = (code: ErrorCode): ReturnType<typeof createDigests> => {
  const fail = (): Promise<never> => Promise.reject(new LocalpostError(code, 'cannot be read'))
  return createDigests({ reader: { digest: fail, digestOf: fail, contentText: fail } })
}
const unread = { ...anEmail(1), source: 'smtp', snippet: null } as const

it('a list shows a damaged mail that was not indexed yet without a snippet', async () => {
  expect(await digestsWith('store_corrupt').of(unread)).toMatchObject({ snippet: '', attachment_count: 0 })
})

it.each(['store_failed', 'closed'] as const)('a list fails where reading fails with %s', async (code) => {
  await expect(digestsWith(code).of(unread)).rejects.toMatchObject({ code })
})
