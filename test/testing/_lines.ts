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

/** Calls that are wrong themselves. */
export const wrongCalls: readonly string[] = [
  `assertSent({})`,
  `assertSent(post, { tpo: 'eve' })`,
  `assertSent(post, {}, 5)`,
  `assertNotSent(post, /eve/)`,
  `assertEvent(null)`,
  `assertNoEvent(post, { status: 'opnd' })`,
  `assertLink({})`,
  `assertCode({ links: [], html: '' }, 5)`,
  `assertNoUnrenderedPlaceholders(5)`,
  `post.inbox.waitFor([])`,
  `post.inbox.get('em_none', 5)`,
  `post.fetch('http://localpost')`,
  `startForTest({ strcit: true })`,
]
/** The same with matchers. */
export const wrongMatchers: readonly string[] = [
  `expect({}).toHaveSent()`,
  `expect(post).toHaveSent({ tpo: 'eve' })`,
  `expect(post).toHaveSent({}, 5)`,
  `expect(post).not.toHaveSent(/eve/)`,
  `expect(post).toHaveEvent({ status: 'opnd' })`,
  `expect(5).toHaveLink('x')`,
  `expect({ links: [], html: '' }).toHaveCode(5)`,
  `expect(null).toHaveNoUnrenderedPlaceholders()`,
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
import { assertSent, assertNotSent, assertEvent, assertNoEvent, assertLink, assertCode, assertNoUnrenderedPlaceholders, startForTest } from 'localpost/testing'
const sayFirst = (error) => console.log('first: ' + error.stack.slice(error.stack.indexOf(error.message) + error.message.length).split('\\n')[1])
const start = async () => {
  const post = await startForTest()
  await post.emails.send({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
  await post.inbox.waitFor(undefined, { timeoutMs: 60_000 })
  return post
}`.split('\n')
  const lines: number[] = []
  for (const [index, call] of some.entries()) {
    const isWrong = wrongCalls.includes(call) || wrongMatchers.includes(call)
    head.push(
      `test('case ${index}', async (${context}) => {`,
      '  const post = await start()',
      '  const close = () => post.close()',
      '  try {',
    )
    head.push(`    const failing = (async () => (${call}))()`)
    lines.push(head.length)
    head.push(
      `    failing.catch(${isWrong ? 'sayFirst' : '() => {}'})`,
      '    await new Promise((done) => setTimeout(done, 20))',
      '    await failing',
      '  } finally { await close() }',
      '})',
    )
  }
  return { text: head.join('\n'), lines }
}

/** The places that the errors of wrong calls show first: file and line of each. */
export function firstPlaces(output: string): string[] {
  return [...output.matchAll(/first: .*?(lines\.[\w.]+:\d+|$)/gm)].map(([all, place]) => place || all)
}
