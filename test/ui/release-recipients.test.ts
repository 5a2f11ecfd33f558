import { describe, expect, it } from 'vitest'
import { addressesIn, releaseRecipients } from '../../ui/views/inbox/release-recipients.ts'
import { fileNameOf } from '../../ui/views/inbox/save-file.ts'

describe('recipients of a release', () => {
  it('are those of the envelope that are real', () => {
    const to = ['ada@example.com', 'bounce@simulator.localpost', 'x@Simulator.amazonses.com']
    expect(releaseRecipients(to)).toEqual(['ada@example.com'])
  })

  it('are taken out of typed and pasted text, and what is none is left', () => {
    const text = 'Ada L. <ada@example.com>, bob@example.com; eve@example.com grace@example.com, nobody'
    expect(addressesIn(text)).toEqual({
      addresses: ['ada@example.com', 'bob@example.com', 'eve@example.com', 'grace@example.com'],
      rest: 'nobody',
    })
    expect(addressesIn('  ')).toEqual({ addresses: [], rest: '' })
  })
})

describe('the name of a saved file', () => {
  it('is the subject without what file systems refuse', () => {
    expect(fileNameOf('Invoice 1/2: "May"\u202E?')).toBe('Invoice 1 2 May')
    expect(fileNameOf('..')).toBe('mail')
    expect(fileNameOf('')).toBe('mail')
    expect(fileNameOf('Grüße 🪴')).toBe('Grüße 🪴')
  })
})
