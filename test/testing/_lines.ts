/** Calls that fail, each in a test of its own; their promise is awaited later, so that no stack is left by then. */
export const failingCalls: readonly string[] = [
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
/** The same with matchers that wait. */
export const failingMatchers: readonly string[] = [
  `expect(post).toHaveSent({ to: 'eve', timeoutMs: 5 })`,
  `expect(post).not.toHaveSent()`,
  `expect(post).toHaveEvent({ status: 'opened', timeoutMs: 5 })`,
]

/**
 * Writes a test file in which each call fails in a test of its own.
 *
 * @param imports  Brings `test`, and `expect` where it is needed.
 * @param context  What the function of a test takes.
 * @returns The numbers of the lines that call.
 */
export function fileOf(
  imports: string,
  some: readonly string[],
  context: string,
): { text: string; lines: number[] } {
  const head = `${imports}
import { assertSent, assertNotSent, assertEvent, assertNoEvent, startForTest } from 'localpost/testing'
const start = async () => {
  const post = await startForTest()
  await post.emails.send({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
  await post.inbox.waitFor(undefined, { timeoutMs: 60_000 })
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
    head.push(`    const failing = (${call})`)
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
