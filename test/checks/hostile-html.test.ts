import { describe, expect, it } from 'vitest'
import { checkMail } from '../../src/checks/run.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

describe('five megabytes of hostile HTML take linear time', () => {
  it.each([
    '<',
    '<div>',
    '<img src="',
    '<a href="',
    '{{',
    '{%a',
    '&lt;%',
    '*|',
    '${a',
    '<img>',
    '<a href=#>',
  ])('of nothing but %j', async (piece) => {
    const post = await start()
    const mail = await post.inbox.get(await submit(post, { subject: 'Hello', text: 'x' }))
    const html = piece.repeat(Math.ceil(5_000_000 / piece.length))
    // Without the limits this takes minutes, and the test times out.
    const { findings, checks } = checkMail({ ...mail, html })
    for (const { id } of checks)
      expect(findings.filter((finding) => finding.id === id).length).toBeLessThanOrEqual(50)
  })
})
