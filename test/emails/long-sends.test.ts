import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { goodMail } from '../support/mail.ts'

/** Requests, each with the status of its answer. A long one has the same members and a text of more than 1 MB. */
const requests: Readonly<Record<string, [status: number, request: object, key?: string]>> = {
  'a good mail': [200, goodMail],
  'an unknown member': [200, { ...goodMail, colour: 'red' }],
  'a key': [200, goodMail, 'k'],
  'the same key again': [200, goodMail, 'k'],
  'the same key with another body': [409, { ...goodMail, subject: 'other' }, 'k'],
  'a key that is too long': [422, goodMail, 'k'.repeat(257)],
  'a template': [200, { ...goodMail, template_id: 'known', subject: undefined }],
  'no such template': [404, { ...goodMail, template_id: 'unknown' }],
  'a wrong address and an unknown template': [422, { ...goodMail, to: 'x', template_id: 'unknown' }],
  'wrong members': [422, { ...goodMail, from: 1, to: [] }],
  'a wrong attachment': [422, { ...goodMail, attachments: [{ filename: 'a/b', path: 'data:,x' }] }],
  'a variable without a value': [422, { ...goodMail, variables: { a: {} } }],
  'a domain that is not verified': [403, { ...goodMail, from: 'a@late.test' }],
  'a text that is too large': [
    413,
    { ...goodMail, html: '{{a}}'.repeat(60), variables: { a: 'ü'.repeat(400_000) } },
  ],
  'an array': [422, []],
}

it('the package checks and composes long sends in its thread, over HTTP and from the library, and answers as for short ones', async () => {
  const script = join(temporaryFolder(), 'script.mjs')
  const entry = new URL('../../dist/index.cjs', import.meta.url).href
  writeFileSync(
    script,
    `import workers from 'node:worker_threads'
let asked = 0
let composed = 0
workers.Worker = class extends workers.Worker {
  postMessage(request, ...more) {
    if (request.kind === 'send') asked++
    if (request.kind === 'message') composed++
    super.postMessage(request, ...more)
  }
}
const { createLocalpost } = (await import(${JSON.stringify(entry)})).default
const requests = ${JSON.stringify(requests)}
const answers = {}
for (const way of ['http', 'library'])
  for (const length of [1, 1_200_000]) {
    const post = await createLocalpost()
    await post.templates.put('known', { subject: 'From a template', text: 'x' })
    await post.domains.create({ name: 'late.test' })
    asked = composed = 0
    const said = {}
    for (const [name, [, request, key]] of Object.entries(requests)) {
      const value = Array.isArray(request) ? [...request, 'x'.repeat(length)] : { ...request, text: 'x'.repeat(length) }
      const answer = way === 'http'
        ? await post.fetch(new Request('http://localhost/v1/emails', {
            method: 'POST', body: JSON.stringify(value),
            headers: { 'content-type': 'application/json', authorization: 'Bearer ' + post.apiKey, ...(key && { 'idempotency-key': key }) },
          })).then(async (response) => [response.status, await response.json()])
        : await post.emails.send(value, key ? { idempotencyKey: key } : {}).then((sent) => [200, sent], (error) => [error.status, error.toJSON()])
      said[name] = JSON.stringify(answer).replaceAll(/\\b(?:em|dom)_\\w+/g, 'ID')
    }
    const subjects = (await post.emails.list()).items.map(({ subject }) => subject)
    for (let i = 0; i < 100 && (await post.emails.list()).items.some((mail) => mail.last_event.status === 'sent'); i++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    ;(answers[way] ??= []).push({ asked, composed, said, subjects })
    await post.close()
  }
console.log(JSON.stringify(answers))`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 60_000 })
  const answers = JSON.parse(stdout) as Record<
    string,
    { asked: number; composed: number; said: Record<string, string>; subjects: string[] }[]
  >
  for (const way of ['http', 'library']) {
    const [short, long] = answers[way] ?? []
    for (const [name, [status]] of Object.entries(requests)) {
      expect(short?.said[name], `${way}: ${name}`).toMatch(new RegExp(`^\\[${status},`))
      if (name !== 'an array') expect(long?.said[name], `${way}: ${name}`).toBe(short?.said[name])
    }
    expect(long?.subjects).toEqual(short?.subjects)
    // The one whose placeholders make it long.
    expect(short?.asked).toBe(1)
    // But for the key that is too long; those with a template are asked twice.
    expect(long?.asked).toBeGreaterThan(10)
    expect(short?.composed).toBe(0)
    expect(long?.composed).toBe(long?.subjects.length)
  }
}, 90_000)
