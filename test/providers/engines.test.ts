import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import type { TemplateEngine } from '../../src/templates/types.ts'
import { startShared } from '../support/instance.ts'
import { keyHeaders } from './_authorization.ts'

let post: Localpost
let end: () => Promise<void>
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  end = shared.end
  for (const [engine, text] of Object.entries(texts))
    await post.templates.put(engine, { subject: text, html: text, engine: engine as TemplateEngine })
})
afterAll(() => end())

/** A template of each engine, which uses `name` and `missing`. */
const texts: Readonly<Record<TemplateEngine, string>> = {
  placeholders: '{{name}}|{{missing}}|{{#a}}',
  handlebars: '{{#if name}}{{name}}{{/if}}|{{missing}}|',
  mustachio: '{{#name}}{{.}}{{/name}}|{{missing}}|',
}
const engines = ['placeholders', 'handlebars', 'mustachio'] as const

type Data = Readonly<Record<string, string>>

/** A send through each interface: its path, and the body that uses a template. */
const surfaces: Readonly<Record<string, (id: string, data: Data) => object | URLSearchParams>> = {
  '/v1/emails': (id, variables) => ({ ...mail, template_id: id, variables }),
  '/dev/emails': (id, data) => ({ ...mail, template_id: id, data }),
  '/resend/emails': (id, variables) => ({ ...mail, template: { id, variables } }),
  '/postmark/email/withTemplate': (TemplateAlias, TemplateModel) => ({
    From: mail.from,
    To: mail.to,
    TemplateAlias,
    TemplateModel,
  }),
  '/ses/v2/email/outbound-emails': (TemplateName, data) => ({
    FromEmailAddress: mail.from,
    Destination: { ToAddresses: [mail.to] },
    Content: { Template: { TemplateName, TemplateData: JSON.stringify(data) } },
  }),
  '/ses-v1/': (Template, data) =>
    new URLSearchParams({
      Action: 'SendTemplatedEmail',
      Source: mail.from,
      'Destination.ToAddresses.member.1': mail.to,
      Template,
      TemplateData: JSON.stringify(data),
    }),
}
const mail = { from: 'Acme <hi@acme.test>', to: 'ada@example.com' }

/** Those that refuse a send whose data lacks what a template uses. */
const strict = (path: string): boolean => path.startsWith('/resend') || path.startsWith('/ses')
/** Those that escape a value in HTML. */
const escapes = (path: string): boolean => !strict(path)

async function send(path: string, engine: TemplateEngine, data: Data): Promise<[number, string]> {
  const body = surfaces[path]?.(engine, data)
  const isForm = body instanceof URLSearchParams
  const headers = {
    ...keyHeaders(path, post.apiKey),
    'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
  }
  const init = { method: 'POST', headers, body: isForm ? body.toString() : JSON.stringify(body) }
  const answer = await post.fetch(new Request(`http://localhost${path}`, init))
  return [answer.status, await answer.text()]
}

describe.each(Object.keys(surfaces))('a send to %s', (path) => {
  it.each(engines)('renders a template with the engine %s', async (engine) => {
    const name = `<${path} ${engine}>`
    const [status, text] = await send(path, engine, { name, missing: 'x' })
    expect([status, text]).toEqual([200, expect.any(String)])
    const rest = engine === 'placeholders' ? '{{#a}}' : ''
    const { html } = await post.inbox.waitFor({ subject: `${name}|x|${rest}` })
    const escaped = name.replace('<', '&lt;').replace('>', '&gt;').replaceAll('=', '&#x3D;')
    expect(html).toBe(`${engine !== 'placeholders' && escapes(path) ? escaped : name}|x|${rest}`)
  })

  it.each(engines)('without what a template with the engine %s uses', async (engine) => {
    const name = `${path} ${engine} alone`
    const [status, text] = await send(path, engine, { name })
    if (engine !== 'placeholders' && strict(path)) {
      expect([status, text]).toEqual([
        path.startsWith('/ses') ? 400 : 422,
        expect.stringContaining('missing'),
      ])
      return
    }
    expect(status).toBe(200)
    await post.inbox.waitFor({
      subject: engine === 'placeholders' ? `${name}|{{missing}}|{{#a}}` : `${name}||`,
    })
  })
})
