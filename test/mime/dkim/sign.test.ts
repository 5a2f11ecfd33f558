import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { domainToASCII } from 'node:url'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import DKIM from 'nodemailer/lib/dkim'
import { describe, expect, it } from 'vitest'
import type { MessageInput } from '../../../src/mime/compose/message-input.ts'
import { composeMessage } from '../../../src/mime/compose/compose.ts'
import { composeSigned, signMessage } from '../../../src/mime/dkim/sign.ts'
import { bytesOf, expectSmtpLines, plain } from '../_message.ts'

const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')

async function verify(bytes: Buffer, domain: string): Promise<string | undefined> {
  const { results } = await dkimVerify(bytes, {
    resolver: async (name: string, type: string) => {
      expect([name, type]).toEqual([`post._domainkey.${domain}`, 'TXT'])
      return [[`p=${publicKey}`]]
    },
  })
  expect(results).toHaveLength(1)
  return results[0]?.status.result
}

describe('signing', () => {
  const rich: MessageInput = {
    ...plain,
    from: 'Ådne Ünal <hi@acme.com>',
    to: 'Аня <anya@example.com>, ada@example.com',
    cc: 'bob@example.com',
    reply_to: 'help@acme.com',
    subject: 'Ваш заказ готов 🎉',
    html: '<p>Здравствуйте  \n\n</p>\n\n',
    text: 'Здравствуйте\n.\n',
    attachments: [
      { filename: 'чек.pdf', content_type: 'application/pdf', content: Buffer.alloc(5000, 'pdf') },
    ],
  }

  it('verifies for text, html, an attachment and header fields of other scripts', async () => {
    const bytes = await bytesOf(composeSigned(rich, { domain: 'acme.com', selector: 'post', key }))
    expectSmtpLines(bytes)
    expect(await verify(bytes, 'acme.com')).toBe('pass')
  })

  it('fails once a byte of the body or of a signed header field is changed', async () => {
    const bytes = await bytesOf(composeSigned(rich, { domain: 'acme.com', selector: 'post', key }))
    for (const target of ['MIME-Version: 1.0', 'Subject: =', 'filename=']) {
      const changed = Buffer.from(bytes)
      const at = changed.indexOf(target) + target.length - 1
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(await verify(changed, 'acme.com')).not.toBe('pass')
    }
  })

  it('names an internationalised domain by its A-labels', async () => {
    const domain = domainToASCII('müller.example')
    const bytes = await bytesOf(
      composeSigned(
        { ...plain, from: 'hi@müller.example' },
        { domain: 'müller.example', selector: 'post', key },
      ),
    )
    expect(await verify(bytes, domain)).toBe('pass')
  })

  it('verifies for an empty body and for megabytes', async () => {
    for (const input of [
      { ...plain, text: '' },
      { ...plain, attachments: [{ filename: 'a', content: Buffer.alloc(2_000_000, 7) }] },
    ]) {
      expect(
        await verify(
          await bytesOf(composeSigned(input, { domain: 'acme.com', selector: 'post', key })),
          'acme.com',
        ),
      ).toBe('pass')
    }
  })

  it('signs as another signer does, byte for byte', async () => {
    const headers = {
      'List-Unsubscribe': '<https://acme.com/u>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }
    const large = { filename: 'a', content: Buffer.alloc(600_000, 7) }
    for (const input of [plain, rich, { ...plain, headers }, { ...plain, attachments: [large] }]) {
      const composed = await composeMessage(input)
      const other = new DKIM({
        domainName: 'acme.com',
        keySelector: 'post',
        privateKey: key,
        headerFieldNames: [
          'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type',
          'Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post',
        ].join(':'),
      })
      const expected = await buffer(other.sign(Buffer.concat(composed.parts)))
      const signed = await bytesOf(signMessage(composed, { domain: 'acme.com', selector: 'post', key }))
      expect(signed.toString('latin1', 0, 2000)).toBe(expected.toString('latin1', 0, 2000))
      expect(signed.equals(expected)).toBe(true)
    }
  })

  it('finds the header of a message however it is split', async () => {
    const message = await bytesOf(composeMessage(plain))
    const at = message.indexOf('\r\n\r\n') + 2
    const parts = [message.subarray(0, 40), message.subarray(40, at), message.subarray(at)]
    const bytes = await bytesOf(
      signMessage({ parts, size_bytes: message.length }, { domain: 'acme.com', selector: 'post', key }),
    )
    expect(await verify(bytes, 'acme.com')).toBe('pass')
    await expect(
      signMessage(Buffer.from('Subject: x\r\n'), { domain: 'acme.com', selector: 'post', key }),
    ).rejects.toThrow('end of its header')
  })

  it('signs an existing message', async () => {
    const message = await bytesOf(composeMessage(plain))
    const bytes = await bytesOf(signMessage(message, { domain: 'acme.com', selector: 'post', key }))
    expect(await verify(bytes, 'acme.com')).toBe('pass')
    expect(bytes.subarray(-message.length).equals(message)).toBe(true)
  })

  it('throws instead of leaving a message unsigned', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    await expect(
      signMessage(await bytesOf(composeMessage(plain)), {
        domain: 'acme.com',
        selector: 'post',
        key: privateKey,
      }),
    ).rejects.toThrow('ed25519')
    const { privateKey: elliptic } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await expect(
      composeSigned(plain, { domain: 'acme.com', selector: 'post', key: elliptic }),
    ).rejects.toThrow('must be a private RSA key')
    const many = Buffer.from(`${'a:\r\n'.repeat(5001)}\r\nx`)
    await expect(signMessage(many, { domain: 'acme.com', selector: 'post', key })).rejects.toThrow(
      'more than 5000 header fields',
    )
  })
})
