import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { validateSvg } from 'mailauth/lib/bimi/validate-svg.js'
import { describe, expect, it } from 'vitest'
import { bimiLogoFaults } from '../../src/checks/bimi-logo.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import { temporaryFolder } from '../support/folder.ts'
import { submit } from '../support/submit.ts'
import { site } from './_site.ts'

const declared = 'xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps"'
const drawn = `<rect width="64" height="64" fill="url(#shade)"/>`
const logo = (inside = '', root = `${declared} viewBox="0 0 64 64"`): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<svg ${root}><title>Acme &amp; Co</title>${drawn}${inside}</svg>\n`

const faultsOf = (svg: string | Uint8Array): Promise<string[]> => bimiLogoFaults(Buffer.from(svg))

describe('a BIMI logo', () => {
  it.each([
    ['as it must be', logo()],
    ['with a gradient', logo('<defs><linearGradient id="shade"><stop offset="0"/></linearGradient></defs>')],
    [
      'that uses its own shapes',
      logo('<g id="a"/><use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a"/>'),
    ],
    ['with a comment', logo('<!-- <script>no</script> -->')],
    ['compressed', gzipSync(logo())],
  ])('%s has no fault', async (_, svg) => {
    expect(await faultsOf(svg)).toEqual([])
  })

  it.each([
    [/^The logo is not an SVG/, ''],
    [/^The logo is not an SVG/, '<html><svg/></html>'],
    [/^The logo is not an SVG/, '\x89PNG\r\n'],
    [/baseProfile="full", and needs baseProfile="tiny-ps"/, logo().replace('tiny-ps', 'full')],
    [/has no version, and needs version="1\.2"/, logo().replace('version="1.2"', '')],
    [/has no xmlns/, logo().replace(/ xmlns="[^"]*"/, '')],
    [/must not have the attribute x/, logo('', `${declared} x="0" viewBox="0 0 64 64"`)],
    [/no viewBox/, logo('', declared)],
    [/no viewBox/, logo('', `${declared} viewBox="0 0 64 0"`)],
    [/no viewBox/, logo('', `${declared} viewBox="a b 64 64"`)],
    [/The logo is not a square: it is 64 wide and 32 high\.$/, logo('', `${declared} viewBox="0 0 64 32"`)],
    [/no title/, logo().replace(/<title>.*<\/title>/, '')],
    [/title of the logo is empty/, logo().replace(/<title>.*<\/title>/, '<title/>')],
    [/no title/, logo().replace(/<title>.*<\/title>/, '<g><title>Acme</title></g>')],
    [/element "script"/, logo('<script>alert(1)</script>')],
    [/element "animate"/, logo('<animate attributeName="x"/>')],
    [/element "foreignObject"/, logo('<foreignObject/>')],
    [/element "image"/, logo('<image href="data:image/png;base64,AA=="/>')],
    [/outside of it: xlink:href="https:/, logo('<a xlink:href="https://evil.test/"><g/></a>')],
    [/outside of it/, logo('<use href="other.svg#a"/>')],
    [/outside of it: href="https:/, logo('<use href="&#x68;ttps://evil.test/"/>')],
    [/outside of it/, logo('<g fill="url( \'https://evil.test/#a\')"/>')],
    [/event handler onload="alert\(1\)"/, logo('<g onload="alert(1)"/>')],
    [/element "svg"/, logo('<svg/>')],
    [/processing instruction/, `<?xml-stylesheet href="https://evil.test/"?>${logo()}`],
    [/document type/, `<!DOCTYPE svg SYSTEM "https://evil.test/a.dtd">${logo()}`],
    [/not well-formed/, logo('<g>')],
    [/not well-formed/, logo('<g id="a" id="b"/>')],
    [/not well-formed/, `${logo()}<g/>`],
    [/cannot be decompressed/, gzipSync(logo()).subarray(0, 40)],
  ])('has a fault: %s', async (expected, svg) => {
    expect((await faultsOf(svg)).join('\n')).toMatch(expected)
  })

  it('has a fault wherever mailauth refuses it', async () => {
    const parts = [
      '',
      '<g/>',
      '<script/>',
      '<set/>',
      '<discard/>',
      '<g><animateMotion/></g>',
      '<use xlink:href="#a"/>',
    ]
    const more = [
      ...parts,
      '<use xlink:href="http://evil.test/"/>',
      '<g><g><use xlink:href="a.svg"/></g></g>',
    ]
    const roots = [
      `${declared} viewBox="0 0 9 9"`,
      'viewBox="0 0 9 9"',
      `${declared} y="1" viewBox="0 0 9 9"`,
    ]
    let refused = 0
    for (const svg of roots.flatMap((root) => more.map((part) => logo(part, root)))) {
      let isRefused = false
      try {
        validateSvg(svg)
      } catch {
        isRefused = true
        refused++
      }
      expect([svg, (await faultsOf(svg)).length > 0]).toEqual([svg, isRefused])
    }
    expect(refused).toBeGreaterThan(10)
  })

  it.each([
    ['of 6 MB', logo('<g/>'.repeat(1_500_000))],
    ['of 6 MB when decompressed', gzipSync(logo('<g/>'.repeat(1_500_000)))],
    ['of 4 GB of entities', `<!DOCTYPE x [<!ENTITY a "${'x'.repeat(40_000)}">]>${logo('&a;')}`],
  ])('%s is only too large', async (_, svg) => {
    expect(await faultsOf(svg)).toEqual([
      'The logo has more than 32768 bytes, which is the maximum that receivers accept.',
    ])
  })

  it('never expands entities, and names a few errors of each kind', async () => {
    const levels = Array.from({ length: 30 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`)
    const bomb = `<!DOCTYPE svg [<!ENTITY e0 "lol">${levels.join('')}]>${logo('<g id="&e30;"/><text>&e30;</text>')}`
    const faults = await faultsOf(bomb)
    expect(faults.join('\n')).toContain('declares a document type')
    const deep = await faultsOf(logo('<b>'.repeat(5000)))
    expect(deep).toEqual([expect.stringContaining('"b"'), expect.stringContaining('not well-formed')])
    const many = await faultsOf(
      logo(Array.from({ length: 900 }, (_, at) => `<e${at} onclick="${at}"/>`).join('')),
    )
    expect(many).toHaveLength(10)
  })
})

describe('the check of a BIMI logo', () => {
  async function checked(answer: RequestListener, live: boolean, path = '/logo.svg') {
    const { url: origin, asked } = await site(answer)
    const url = path.startsWith('/') ? origin + path : path
    const zone = join(temporaryFolder(), 'acme.zone')
    writeFileSync(zone, `default._bimi.acme.test. TXT "v=BIMI1; l=${url}"\n`)
    await using post = await createLocalpost({ checks: { zone } })
    const id = await submit(post, { from: 'hi@acme.test', subject: 'Hello', text: 'Hello' })
    const { checks, findings } = await post.inbox.check(id, { live })
    const run = checks.find((one) => one.id === 'bimi-logo')
    return {
      run,
      found: findings.filter((one) => one.id === 'bimi-logo').map(({ message }) => message),
      asked,
    }
  }
  const svg = { 'content-type': 'image/svg+xml' }

  it('fetches it on request only', async () => {
    const unasked = await checked((_, response) => response.end(), false)
    expect(unasked).toEqual({ run: undefined, found: [], asked: [] })
    const good = await checked((_, response) => response.writeHead(200, svg).end(logo()), true)
    expect(good).toMatchObject({ run: { outcome: 'passed' }, found: [], asked: ['GET /logo.svg'] })
  })

  it('says what is wrong with it', async () => {
    const text = { 'content-type': 'text/plain' }
    const served = await checked((_, response) => response.writeHead(200, text).end(logo('<script/>')), true)
    expect(served.found).toEqual([
      expect.stringMatching(/is served as "text\/plain", not as image\/svg\+xml\.$/),
      'The logo has an element "script", which the profile does not have.',
    ])
    const gone = await checked((_, response) => response.writeHead(404).end(), true)
    expect(gone.found).toEqual([expect.stringMatching(/answers 404, and receivers need 200\.$/)])
  })

  it('reads no more of it than may be, and nothing from elsewhere', async () => {
    const endless = await checked((_, response) => {
      response.writeHead(200, svg)
      const write = (): void => {
        while (!response.destroyed && response.write(logo().padEnd(16_384)));
        response.once('drain', write)
      }
      write()
    }, true)
    expect(endless.found).toEqual([expect.stringContaining('more than 32768 bytes')])
    const foreign = await checked((_, response) => response.end(), true, 'https://logo.example/logo.svg')
    expect(foreign.run).toMatchObject({
      outcome: 'skipped',
      message: expect.stringMatching(/was not fetched: logo\.example is not this machine; allow it/),
    })
    expect(foreign.asked).toEqual([])
    const broken = await checked((request) => request.socket.destroy(), true)
    expect(broken.run).toMatchObject({ outcome: 'gave_up' })
  })
})
