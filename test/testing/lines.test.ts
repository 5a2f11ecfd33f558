import { afterEach, describe, expect, it } from 'vitest'
import { openProjects, run, runVitest } from './_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

/** Calls that fail, each in a test of its own; their promise is awaited later, so that no stack is left by then. */
const calls = [
  `post.inbox.waitFor({ to: 'eve' }, { timeoutMs: 5 })`,
  `post.inbox.waitForCount({ to: 'eve' }, 2, { timeoutMs: 5 })`,
  `post.inbox.expectNone({}, { timeoutMs: 5 })`,
  `post.inbox.get('em_none')`,
  `assertSent(post, { to: 'eve', timeoutMs: 5 })`,
  `assertNotSent(post)`,
  `assertEvent(post, { status: 'opened', timeoutMs: 5 })`,
  `assertNoEvent(post, { status: 'delivered' })`,
  `post.listen({ port: -1 })`,
  `post.reset({ kepe: [] })`,
  `post.restore({})`,
  `close().then(() => 0), post.snapshot()`,
]
const matched = [
  `expect(post).toHaveSent({ to: 'eve', timeoutMs: 5 })`,
  `expect(post).not.toHaveSent()`,
  `expect(post).toHaveEvent({ status: 'opened', timeoutMs: 5 })`,
]

function fileOf(
  imports: string,
  some: readonly string[],
  context: string,
): { text: string; lines: number[] } {
  const head = `${imports}
import { assertSent, assertNotSent, assertEvent, assertNoEvent, startForTest } from 'localpost/testing'
const start = async () => {
  const post = await startForTest()
  await post.emails.send({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
  await post.inbox.waitFor()
  return post
}`.split('\n')
  const lines: number[] = []
  for (const [index, call] of some.entries()) {
    head.push(
      `test('case ${index}', async (${context}) => {`,
      '  const post = await start()',
      '  const close = () => post.close()',
      '  try {',
    )
    head.push(
      call.startsWith('expect(') ? `    const failing = await ${call}` : `    const failing = (${call})`,
    )
    lines.push(head.length)
    head.push(
      '    failing.catch(() => {})',
      '    await new Promise((done) => setTimeout(done, 20))',
      '    await failing',
      '  } finally { await close() }',
      '})',
    )
  }
  return { text: head.join('\n'), lines }
}

describe('a failure shows the line of the test', () => {
  it('in vitest', async () => {
    const { text, lines } = fileOf(
      `import { expect, test } from 'localpost/vitest'`,
      [...calls, ...matched],
      '',
    )
    const { output } = await runVitest(projects.make({ 'lines.test.js': text }), '--reporter=verbose')
    expect(output).toMatch(new RegExp(`Tests\\s+${lines.length} failed`))
    const shown = lines.filter((line) => output.includes(`❯ lines.test.js:${line}:`))
    expect(shown, output).toEqual(lines)
  })

  it('in node:test', async () => {
    const { text, lines } = fileOf(`import { test } from 'node:test'`, calls, 't')
    const { output } = await run(projects.make({ 'lines.test.js': text }), '--test', 'lines.test.js')
    const shown = lines.filter((line) => output.includes(`lines.test.js:${line}:`))
    expect(shown, output).toEqual(lines)
  })
})
