import { isUtf8 } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import type { Steps } from '../../../src/core/yield.ts'
import { headerFactSteps } from '../../../src/emails/header-facts.ts'
import { decodeOctetSteps } from '../../../src/mime/headers/fields.ts'
import { structureSteps } from '../../../src/mime/structure.ts'

const size = 1024 * 1024 - 100
const repeated = (piece: string): string => piece.repeat(Math.floor(size / piece.length))

/** Headers of a megabyte, written in Latin-1. */
const headers: Readonly<Record<string, string>> = {
  'short fields': repeated('X-A: b\r\n'),
  'folded lines': `Subject: x\r\n${repeated(' x\r\n')}`,
  'the shortest folded lines': `Subject: x\r\n${repeated(' \n')}`,
  'Latin-1 lines': `Subject: x\r\n${repeated(' \xe4\xf6\n')}`,
  'one Latin-1 line': `Subject: ${repeated('\xe4')}`,
  'lines in two charsets': `Subject: x\r\n${repeated(' \xc3\xa4\n \xe4\n')}`,
  'UTF-8 lines': `Subject: x\r\n${repeated(' \xc3\xa4\n')}`,
  'lines that end with CR': `Subject: x\r${repeated(' x\r')}\r`,
  'lines that are no field': repeated('x\n'),
  addresses: `To: ${repeated('a@b.c, ')}`,
  'addresses with names': `To: ${repeated('"\xe4" <a@b.c>, ')}`,
  'addresses in U-labels': `To: ${repeated('"\xc3\xa4" <a@b\xc3\xa4.c>, ')}`,
  groups: `Cc: ${repeated('g:a@b.c;,')}`,
  'names without addresses': `To: ${repeated('a,')}`,
  commas: `To: ${repeated(',')}`,
  'escaped quotes': `To: "${repeated('\\"')}`,
  'open quotes': `To: ${repeated('<"a')}`,
  'encoded words': `Subject: ${repeated('=?utf-8?q?a?= ').slice(0, 250_000)}`,
  'raw octets in encoded words': `Subject: ${repeated('=?utf-8?q?\xe4?= \xe4').slice(0, 250_000)}`,
  'encoded names': `To: ${repeated('=?utf-8?q?\xe4?= \xe4 <a@b.c>,')}`,
}

/** In milliseconds. */
const longestAllowed = 50

/**
 * What the longest step takes, in milliseconds: of each step the shortest of several runs, since on a busy machine any step
 * may have to wait for a processor. Further runs can only lower it, so it ends with the first run that is short enough.
 */
function longestStep(makeSteps: () => Steps<unknown>): number {
  const shortest: number[] = []
  const longest = (): number => shortest.reduce((most, one) => Math.max(most, one), 0)
  for (let run = 0; run === 0 || (run < 20 && longest() >= longestAllowed); run++) {
    const steps = makeSteps()
    for (let step = 0, isDone = false; !isDone; step++) {
      const began = performance.now()
      isDone = steps.next().done === true
      shortest[step] = Math.min(shortest[step] ?? Number.POSITIVE_INFINITY, performance.now() - began)
    }
  }
  return longest()
}

describe('a header of a megabyte is read in short turns of the event loop', () => {
  it.each(Object.entries(headers))('%s', (_, header) => {
    const message = Buffer.from(`${header}\r\n\r\nHello`, 'latin1')
    const envelope = { mail_from: 'eve@x.test', rcpt_to: ['ada@example.com'] }
    expect(longestStep(() => headerFactSteps(message, envelope))).toBeLessThan(longestAllowed)
    expect(longestStep(() => structureSteps(message))).toBeLessThan(longestAllowed)
  })
})

describe('the octets of a megabyte are decoded in many steps', () => {
  it.each(['one Latin-1 line', 'Latin-1 lines', 'lines in two charsets'])('%s', (name) => {
    const steps = decodeOctetSteps(Buffer.from(headers[name] ?? '', 'latin1'))
    let count = 1
    while (!steps.next().done) count++
    expect(count).toBeGreaterThan(size / (20 * 1024))
  })

  it('each line as UTF-8 if it is valid, else with half surrogates for octets beyond ASCII', () => {
    for (const unit of ['\xe4 ', '\xc3\xa4\xe4', 'a\n\xe4', '\xe2\x82\xac\n\xe4\r\n'])
      for (const length of [16_383, 16_384, 16_385, 40_000]) {
        const block = Buffer.alloc(length, Buffer.from(unit, 'latin1'))
        const lines = block.toString('latin1').split('\n')
        expect(decoded(block)).toBe(lines.map(expectedLine).join('\n'))
      }
  })
})

/** @param line  Octets as Latin-1. */
function expectedLine(line: string): string {
  const octets = Buffer.from(line, 'latin1')
  if (isUtf8(octets)) return octets.toString('utf8')
  return line.replace(/[\x80-\xff]/g, (octet) => String.fromCharCode(0xdc00 | octet.charCodeAt(0)))
}

function decoded(block: Buffer): string {
  const steps = decodeOctetSteps(block)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
