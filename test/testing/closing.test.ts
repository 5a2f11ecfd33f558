import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { createLocalpost, fixedClock } from '../../src/index.ts'
import { assertEvent, assertSent, matchers } from '../../src/testing/index.ts'

const list = (key: string): Request =>
  new Request('http://localpost/v1/emails', { headers: { authorization: `Bearer ${key}` } })

describe('an instance that is closed', () => {
  it('ends every wait, those in progress and later ones', async () => {
    const post = await createLocalpost()
    const running = [post.inbox.waitFor(), post.inbox.waitFor('x', { timeoutMs: Number.POSITIVE_INFINITY })]
    const ended = Promise.all(running.map((wait) => expect(wait).rejects.toMatchObject({ code: 'closed' })))
    await post.close()
    await ended
    await expect(post.inbox.waitFor()).rejects.toMatchObject({ code: 'closed' })
  })

  it('tells a check that was not over that its await is missing', async () => {
    const post = await createLocalpost()
    const sent = { to: 'ada@example.com', timeoutMs: 60_000 }
    const checks = [
      assertSent(post, sent),
      assertEvent(post, { recipient: 'ada@example.com', status: 'bounced', timeoutMs: 60_000 }),
      matchers.toHaveSent.call({}, post, sent),
    ]
    const message = expect.stringMatching(/closed.*`await` is missing: await expect\(localpost\)/) as string
    const ended = Promise.all(
      checks.map((check: Promise<unknown>) =>
        expect(check).rejects.toMatchObject({ code: 'closed', message }),
      ),
    )
    await post.close()
    await ended
  })

  it('refuses HTTP in process, also without an earlier request', async () => {
    const post = await createLocalpost()
    await post.close()
    for (let i = 0; i < 2; i++)
      await expect(post.fetch(list(post.apiKey))).rejects.toMatchObject({ code: 'closed' })
  })

  it('closes a listener that was about to open', async () => {
    const post = await createLocalpost()
    const listening = post.listen()
    const closing = post.close()
    expect(post[Symbol.asyncDispose]()).toBe(closing)
    const [opened] = await Promise.allSettled([listening, closing])
    if (opened.status === 'fulfilled') await expect(fetch(opened.value.url)).rejects.toThrow('fetch failed')
    else expect(opened.reason).toMatchObject({ code: 'closed' })
  })

  it('refuses every other call with a code', async () => {
    const post = await createLocalpost({ clock: fixedClock(0) })
    const methods = methodsOf(post)
    expect(methods.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'inbox.waitFor',
        'audiences.contacts.import',
        'clock.now',
        'listen',
        'restore',
      ]),
    )
    await post.close()
    for (const [name, method] of methods) {
      const outcome = await attempt(method, list(post.apiKey))
      if (name === 'close' || name.startsWith('Symbol(')) expect(outcome).toBeUndefined()
      else expect([name, outcome]).toMatchObject([name, { code: 'closed' }])
    }
  })
})

describe('an instance at run time', () => {
  // The compiler reads all of the types.
  it(
    'has the members of its type, and no others such as the keys that sign mail',
    { timeout: 60_000 },
    async () => {
      const post = await createLocalpost()
      expect(members(post, '')).toEqual(typedMembers())
      await post.close()
    },
  )
})

type Method = (...given: unknown[]) => unknown

/** Every method of an object and of the objects in it, with its path. */
function methodsOf(object: object, path = ''): [string, Method][] {
  return Reflect.ownKeys(object).flatMap((key): [string, Method][] => {
    const value: unknown = Reflect.get(object, key)
    const name = `${path}${String(key)}`
    if (typeof value === 'function') return [[name, value.bind(object) as Method]]
    return typeof value === 'object' && value !== null ? methodsOf(value, `${name}.`) : []
  })
}

async function attempt(method: Method, request: Request): Promise<unknown> {
  try {
    return await method(request)
  } catch (error) {
    return error
  }
}

function members(object: object, path: string): string[] {
  return Object.entries(object)
    .flatMap(([key, value]: [string, unknown]) => {
      const isNoun = typeof value === 'object' && value !== null
      return isNoun ? members(value, `${path}${key}.`) : [`${path}${key}`]
    })
    .toSorted()
}

/** The same according to the compiler. */
function typedMembers(): string[] {
  const file = fileURLToPath(new URL('../../src/instance/instance.ts', import.meta.url))
  const program = ts.createProgram([file], { ...compilerOptions, noEmit: true })
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)
  const symbol = checker.getExportsOfModule(module!).find(({ name }) => name === 'Localpost')
  const walk = (type: ts.Type, path: string): string[] =>
    type.getProperties().flatMap((member) => {
      // An optional member is not there in every instance.
      if (member.name.startsWith('__@') || member.flags & ts.SymbolFlags.Optional) return []
      const memberType = checker.getTypeOfSymbol(member)
      const isNoun =
        memberType.getCallSignatures().length === 0 &&
        memberType.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)
      return isNoun ? walk(memberType, `${path}${member.name}.`) : [`${path}${member.name}`]
    })
  return walk(checker.getDeclaredTypeOfSymbol(symbol!), '').toSorted()
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  types: ['node'],
}
