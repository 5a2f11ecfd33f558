import { describe, expect, it } from 'vitest'
import { relayOptions } from '../../src/outbox/relay-options.ts'
import { resolveOptions, type LocalpostOptions } from '../../src/options/options.ts'

describe('options', () => {
  it('have defaults that need no network and no folder', () => {
    const config = resolveOptions()
    expect(config).toMatchObject({
      dir: null,
      host: '127.0.0.1',
      smtpPort: 0,
      pageSize: 50,
      relay: null,
      retryDelaysMs: [1000, 2000, 4000],
      account: { email: 'dev@localpost.test', first_name: null, last_name: null },
    })
    expect(config.account.profile_picture).toMatch(/^data:/)
  })

  it('with an unknown name are refused with the closest known name', () => {
    const given = { prot: 1, smptPort: 1 } as LocalpostOptions
    expect(() => resolveOptions({ smptPort: 1 } as LocalpostOptions)).toThrow(/"smptPort".*"smtpPort"/)
    expect(() => resolveOptions(given)).toThrowError(expect.objectContaining({ code: 'invalid_option' }))
    expect(() => resolveOptions({ attachments: { rot: 'x' } } as LocalpostOptions)).toThrow(
      /"attachments.root"/,
    )
    expect(() => resolveOptions({ xyzzy: 1 } as LocalpostOptions)).toThrow(/Known: .*smtpPort/)
  })

  it('take any password in a URL to which it is not sent', () => {
    expect(resolveOptions({ publicUrl: 'http://u:%zz@host' }).publicUrl).toBe('http://u:%zz@host')
  })

  it.each([
    [{ smtpPort: 70_000 }, /smtpPort.*70000.*port from 0 to 65535/],
    [{ smtpAuth: 'sometimes' }, /smtpAuth.*"optional" or "required"/],
    [{ relay: 'http://x' }, /relay.*smtp:/],
    [{ pageSize: 0 }, /pageSize.*1 to 500/],
    [{ apiKeys: 'x' }, /apiKeys.*array/],
    [{ hostname: 'a b' }, /hostname.*host name/],
    [{ publicUrl: 'ftp://x' }, /publicUrl.*http/],
    [{ relayAll: true }, /relayAll needs a relay/],
    [{ oidc: { issuer: 'https://login.test' } }, /^Option "oidc\.issuer" .* needs "oidc\.clientId" /],
    [{ oidc: { clientId: 'localpost' } }, /^Option "oidc" needs "oidc\.issuer" /],
    [{ oidc: { clientSecret: 'hunter2' } }, /^Option "oidc" needs "oidc\.issuer" (?!.*hunter2)/],
    [{ webhooks: 'x' }, /webhooks.*array of { url/],
    [{ webhooks: [{ url: 'ftp://x' }] }, /webhooks\[0\]\.url.*http\(s\)/],
    [
      { webhooks: [{ url: 'http://x.test', events: ['email.eaten'] }] },
      /webhooks\[0\]\.events\[0\].*"email.sent"/,
    ],
    [{ webhooks: [{ url: 'http://x.test', secret: 'x' }] }, /webhooks\[0\]\.secret.*whsec_/],
    [{ webhooks: [{ url: 'http://x.test', event: [] }] }, /webhooks\[0\].*unknown members: event/],
    [{ webhookRetryDelaysMs: [-1] }, /webhookRetryDelaysMs.*milliseconds/],
  ])('with a wrong value are refused with the allowed values: %j', (given, message) => {
    expect(() => resolveOptions(given as LocalpostOptions)).toThrow(message)
  })

  it.each([
    [{ relay: 'user:hunter2@host:587' }, /relay.*smtp:/],
    [{ relay: 'smtp://me:hunter2@ho st' }, /relay.*smtp:/],
    [{ relay: 'smtp://us%er:hunter2@host' }, /relay.*smtp:/],
    [{ relay: 'smtp://user:hunter2%@host' }, /relay.*smtp:/],
    [{ relay: 'smtp:hunter2' }, /relay.*smtp:/],
    [{ apiKeys: 'hunter2' }, /apiKeys.*array/],
    [{ apiKeys: ['hunter2 '] }, /apiKeys.*array/],
    [{ smtpTls: { key: 'hunter2' } }, /smtpTls.*cert/],
    [{ webhooks: { url: 'http://x.test', secret: 'hunter2' } }, /webhooks.*array/],
  ])('with a wrong value that may be a secret are refused without showing it: %#', (given, message) => {
    let refusal: unknown
    try {
      resolveOptions(given as unknown as LocalpostOptions)
    } catch (error) {
      refusal = error
    }
    expect(refusal).toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(message) as string,
    })
    expect(String(refusal)).not.toContain('hunter2')
  })

  it('accept the URL of a store with its scheme in any case', () => {
    const store = 'POSTGRES://localpost@127.0.0.1/mail'
    expect(resolveOptions({ store }).store).toBe(store)
  })

  it('accept a relay whose user and password are percent-encoded', () => {
    const { relay } = resolveOptions({ relay: 'smtp://us%40er:p%25w@[::1]:587' })
    expect(relayOptions(relay ?? '', { hostname: 'localhost' })).toMatchObject({
      host: '::1',
      port: 587,
      auth: { user: 'us@er', pass: 'p%w' },
    })
  })
})
