import { createReadStream } from 'node:fs'
import { maxMessageBytes } from '../mime/message-size.ts'
import type { CheckedMail } from '../checks/check.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { fieldOf } from '../core/header-fields.ts'
import { readBeginning } from '../core/read-beginning.ts'
import { joinSentences } from '../core/text.ts'
import { readListUnsubscribe } from '../inbox/list-unsubscribe.ts'
import { verifyDkim } from '../mime/dkim/verify.ts'
import { parseMessage } from '../mime/parse.ts'
import { shortReasonOf } from './remote.ts'
import { readFindings } from '../reading/findings.ts'

/**
 * Reads a message from a file for the checks.
 *
 * @param name  The path of the file; `-` for standard input.
 * @throws request_failed if it cannot be read, is empty or is too long.
 */
export async function readCheckedFile(name: string): Promise<{ mail: CheckedMail; bytes: Buffer }> {
  const bytes = await readMessage(name)
  const message = parseMessage(bytes)
  const valueOf = (field: string): string => fieldOf(message.headers, field) ?? ''
  const { links, clipped } = readFindings(message)
  const problem = joinSentences([message.problem, clipped])
  const mail: CheckedMail = {
    type: 'transactional',
    source: 'smtp',
    size_bytes: bytes.length,
    received: null,
    // A server that delivers a message writes the envelope sender there.
    envelope: { mail_from: valueOf('return-path').trim().replace(/^<|>$/g, '') },
    subject: valueOf('subject'),
    html: message.html,
    text: message.text,
    headers: message.headers,
    links,
    attachments: message.attachments,
    dkim: await verifyDkim(bytes, noKey, () => 0),
    list_unsubscribe: readListUnsubscribe(message.headers),
    problem,
  }
  return { mail, bytes }
}

// Whether the signature is valid is left open.
const noKey = async (): Promise<null> => null

async function readMessage(name: string): Promise<Buffer> {
  const what = name === '-' ? 'Standard input' : quote(name)
  const input = name === '-' ? process.stdin : createReadStream(name)
  const bytes = await readBeginning(input, maxMessageBytes + 1).catch((error: unknown) => {
    const message = `${what} cannot be read (${shortReasonOf(error)}).`
    throw new LocalpostError('request_failed', message, { cause: error })
  })
  if (bytes.length > maxMessageBytes)
    throw new LocalpostError('request_failed', `${what} has more than ${maxMessageBytes} bytes.`)
  if (bytes.length === 0) throw new LocalpostError('request_failed', `${what} is empty.`)
  return bytes
}
