/** The library inside a test: what an import, an instance and a mail cost its process. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runToEnd } from '../lib/processes.mjs'

/** What each contender runs after the import; it prints milliseconds, and what else is measured. */
const scripts = {
  'first instance': `
    const began = performance.now()
    const post = await createLocalpost()
    print(performance.now() - began)
    await post.close()`,
  'another instance': `
    await (await createLocalpost()).close()
    print(await medianOf(51, async () => {
      const began = performance.now()
      const post = await createLocalpost()
      const ms = performance.now() - began
      await post.close()
      return ms
    }))`,
  'send to waitFor': `
    const post = await createLocalpost()
    const once = async () => {
      const began = performance.now()
      const { id } = await post.emails.send(mail)
      await post.inbox.waitFor('id:' + id)
      return performance.now() - began
    }
    await once()
    print(await medianOf(101, once))
    await post.close()`,
  'close after a mail': `
    print(await medianOf(51, async () => {
      const post = await createLocalpost()
      await post.emails.send(mail)
      await post.inbox.waitFor(undefined, { timeoutMs: 60_000 })
      const began = performance.now()
      await post.close()
      return performance.now() - began
    }))`,
  'detail of a mail with 1 MB of text, seen again': `
    const post = await createLocalpost()
    const { id } = await post.emails.send({ ...mail, text: 'The words of a long mail. '.repeat(40_000) })
    await post.inbox.waitFor('id:' + id, { timeoutMs: 60_000 })
    const times = []
    for (let n = 0; n < 21; n++) {
      const began = performance.now()
      await (await post.fetch(new Request('http://localpost/dev/inbox/' + id))).text()
      times.push(performance.now() - began)
    }
    const [first, ...again] = times
    print(again.sort((a, b) => a - b)[10], { 'first, ms': first })
    await post.close()`,
  // Of a mail that was read before: the parse is part of other rows.
  'checks of a 60 KB mail': `
    const post = await createLocalpost()
    const block = (i) => '<table width="600" cellpadding="0"><tr><td class="c' + i + '" style="padding:' + i + 'px;color:#5a6;' +
      'font-size:14px"><a href="https://acme.test/p/' + i + '?u=1" style="color:#06c">Offer &amp; number ' + i + '</a>' +
      '<img src="https://acme.test/i/' + i + '.png" alt="Picture ' + i + '"><p>Words of the offer, and more.</p></td></tr></table>'
    const css = Array.from({ length: 60 }, (_, i) => '.c' + i + ' td.a > p:hover{color:#333;padding:' + i + 'px}').join('')
    const html = '<html lang="en"><head><title>x</title><style>' + css + '@media (max-width:600px){.c1{display:block}}</style></head><body>' +
      Array.from({ length: 190 }, (_, i) => block(i)).join('') + '</body></html>'
    const { id } = await post.emails.send({ ...mail, html })
    await post.inbox.waitFor('id:' + id, { timeoutMs: 60_000 })
    const timeOf = async (work) => {
      const began = performance.now()
      await work()
      return performance.now() - began
    }
    const all = () => timeOf(() => post.inbox.check(id))
    const read = () => timeOf(() => post.inbox.get(id))
    await medianOf(30, all)
    print((await medianOf(51, all)) - (await medianOf(51, read)))
    await post.close()`,
  // What the first ones load and compile is not counted.
  '100 instances, a mail each': `
    const open = (length) => Promise.all(Array.from({ length }, async () => {
      const post = await createLocalpost()
      await post.emails.send(mail)
      await post.inbox.waitFor(undefined, { timeoutMs: 60_000 })
      return post
    }))
    const posts = await open(5)
    const before = process.memoryUsage.rss()
    const began = performance.now()
    posts.push(...(await open(100)))
    const ms = performance.now() - began
    print(ms, { 'MiB each': (process.memoryUsage.rss() - before) / 100 / 1024 / 1024 })
    await Promise.all(posts.map((post) => post.close()))`,
}

/** @type {import('../run.mjs').Group[]} */
export const embedGroups = [
  {
    row: 'embed, ms',
    contenders: ['bare node', 'import', ...Object.keys(scripts)],
    async measure(contender, { packageDir }) {
      if (contender === 'bare node') return { ms: (await runToEnd(['-e', '0'])).ms }
      const library = JSON.stringify(join(packageDir, 'dist/index.js'))
      if (contender === 'import')
        return { ms: (await runToEnd(['--input-type=module', '-e', `import ${library}`])).ms }
      const code = `
        const { createLocalpost } = await import(${library})
        const mail = { from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Hi', text: 'Hello' }
        const print = (ms, more) => console.log(JSON.stringify({ ms, ...more }))
        async function medianOf(times, measure) {
          const all = []
          for (let i = 0; i < times; i++) all.push(await measure())
          return all.sort((a, b) => a - b)[times >> 1]
        }
        ${scripts[contender]}`
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
      return JSON.parse(stdout)
    },
  },
]
