import { describe, expect, it } from 'vitest'
import { attachmentNames, partName } from '../../src/mime/attachment-names.ts'

const nameless = (...types: string[]): { filename: null; content_type: string }[] =>
  types.map((content_type) => ({ filename: null, content_type }))

describe('the name of an attachment', () => {
  it.each([
    ['text/calendar', 'invite.ics'],
    ['application/ics', 'invite.ics'],
    ['message/rfc822', 'message.eml'],
    ['message/global', 'message.eml'],
    ['application/pgp-signature', 'signature.asc'],
    ['application/pkcs7-signature', 'smime.p7s'],
    ['application/ms-tnef', 'winmail.dat'],
    ['image/png', 'attachment-0.png'],
    ['image/jpeg', 'attachment-0.jpg'],
    ['image/jpg', 'attachment-0.jpg'],
    ['text/csv', 'attachment-0.csv'],
    ['application/pdf', 'attachment-0.pdf'],
    ['text/plain', 'attachment-0.txt'],
    ['text/html', 'attachment-0.html'],
    ['message/delivery-status', 'attachment-0.txt'],
    ['application/octet-stream', 'attachment-0'],
    ['application/x-unheard-of', 'attachment-0'],
    ['constructor/prototype', 'attachment-0'],
  ])('of type %s without one is %s', (type, name) => {
    expect(attachmentNames(nameless(type))).toEqual([name])
  })

  it('has the position as its number, or that among the messages and the like', () => {
    const types = ['image/png', 'message/rfc822', 'image/png', 'message/global', 'text/calendar']
    expect(attachmentNames(nameless(...types))).toEqual([
      'attachment-0.png',
      'message.eml',
      'attachment-2.png',
      'message-2.eml',
      'invite.ics',
    ])
  })

  it('is not one that another declares', () => {
    const declared = { filename: 'invite.ics', content_type: 'application/ics' }
    expect(attachmentNames([...nameless('text/calendar', 'text/calendar'), declared])).toEqual([
      'invite-2.ics',
      'invite-3.ics',
      'invite.ics',
    ])
  })

  it('is the declared one, whatever the type', () => {
    const declared = { filename: 'a', content_type: 'image/png' }
    expect(attachmentNames([declared, ...nameless('image/png')])).toEqual(['a', 'attachment-1.png'])
    expect(partName(declared, 3)).toBe('a')
  })

  it('of a leaf of the tree has its position there', () => {
    expect(nameless('text/html', 'text/calendar', 'a/b').map(partName)).toEqual([
      'part-0.html',
      'part-1.ics',
      'part-2',
    ])
  })
})
