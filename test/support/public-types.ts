/** The contract of the public types. `npm run typecheck` checks it; it is never run. */
import { expectTypeOf } from 'vitest'
import { createClient, type Client } from '../../src/client/index.ts'
import {
  createLocalpost,
  fixedClock,
  type EmailDetail,
  type ErrorCode,
  type HeldClock,
  type ListPage,
  type Localpost,
  type LocalpostError,
  type LocalpostOptions,
  type Mail,
  type SendRequest,
  type Snapshot,
} from '../../src/index.ts'
import { assertSent, startForTest, useLocalpost, type SentExpectation } from '../../src/testing/index.ts'
import { createTest, expect, test } from '../../src/vitest/index.ts'

expectTypeOf(createLocalpost).toEqualTypeOf<(options?: LocalpostOptions) => Promise<Localpost>>()
expectTypeOf<Localpost['apiKey']>().toEqualTypeOf<string>()
expectTypeOf<Localpost['smtp']>().toEqualTypeOf<{
  readonly host: string
  readonly port: number
  readonly tls?: { readonly ca: string }
}>()
expectTypeOf<Localpost['url']>().toEqualTypeOf<string | null>()
expectTypeOf<Localpost>().toExtend<AsyncDisposable>()
expectTypeOf<Localpost['emails']['send']>().parameter(0).toEqualTypeOf<SendRequest>()
expectTypeOf<Localpost['emails']['get']>().returns.resolves.toEqualTypeOf<EmailDetail>()
expectTypeOf<Localpost['inbox']['waitFor']>().returns.resolves.toEqualTypeOf<Mail>()
expectTypeOf<Localpost['fetch']>().toEqualTypeOf<(request: Request) => Promise<Response>>()
expectTypeOf<Localpost['snapshot']>().returns.resolves.toEqualTypeOf<Snapshot>()
expectTypeOf<Localpost['clock']['advance']>().parameter(0).toEqualTypeOf<number | string>()
expectTypeOf(fixedClock).returns.toEqualTypeOf<HeldClock>()
expectTypeOf<LocalpostError['code']>().toEqualTypeOf<ErrorCode>()
expectTypeOf<Mail['headers']>().toEqualTypeOf<[name: string, value: string][]>()

// The client has the types of the library.
expectTypeOf(createClient).returns.toEqualTypeOf<Client>()
expectTypeOf<Client['emails']['get']>().returns.resolves.toEqualTypeOf<EmailDetail>()
expectTypeOf<Awaited<ReturnType<Client['emails']['list']>>>().toEqualTypeOf<
  Awaited<ReturnType<Localpost['emails']['list']>>
>()
expectTypeOf<Client['domains']['list']>().returns.resolves.toExtend<ListPage<unknown>>()
// `post.fetch` is one of the ways to call.
expectTypeOf<Localpost['fetch']>().toExtend<NonNullable<Parameters<typeof createClient>[0]['fetch']>>()

// What tests get.
expectTypeOf(startForTest).returns.resolves.toEqualTypeOf<Localpost>()
expectTypeOf(useLocalpost).returns.toEqualTypeOf<(test?: unknown) => Localpost>()
expectTypeOf(assertSent).parameter(1).toEqualTypeOf<SentExpectation | undefined>()
test('a fixture', ({ localpost, localpostUrl }) => {
  expectTypeOf(localpost).toEqualTypeOf<Localpost>()
  expectTypeOf(localpostUrl).toEqualTypeOf<string>()
  expectTypeOf(expect(localpost).toHaveSent({ to: /ada/ })).resolves.toBeVoid()
  expectTypeOf(expect(localpost).not.toHaveEvent({ status: 'bounced' })).resolves.toBeVoid()
})
test.override({ localpostOptions: { strict: true } })
expectTypeOf(createTest({ scope: 'worker' })).toEqualTypeOf<typeof test>()

// @ts-expect-error -- no such member
void assertSent(await startForTest(), { subjcet: 'x' })
// @ts-expect-error -- no such option
void createLocalpost({ smptPort: 1 })
