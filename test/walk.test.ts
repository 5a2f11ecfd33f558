import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

/** How many files of `src` a reader of each way opens. Lower a number when the way gets shorter. */
const most = { submission: 65, send: 90 }

describe('the ways of a submission and of an API send', () => {
  it('pass no more files than they did', async () => {
    const script = fileURLToPath(new URL('../scripts/walk.mjs', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--json'])
    const files = JSON.parse(stdout) as Record<keyof typeof most, string[]>
    expect(files.submission).toEqual(expect.arrayContaining(['capture/connection.ts', 'emails/receive.ts']))
    expect(files.send).toEqual(expect.arrayContaining(['server/v1/emails.ts', 'sending/sending.ts']))
    for (const name of ['submission', 'send'] as const)
      expect(files[name].length, `${name}: ${files[name].join(' ')}`).toBeLessThanOrEqual(most[name])
  })
})
