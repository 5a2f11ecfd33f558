import type { KeyObject } from 'node:crypto'
import type { JobResult } from '../core/job-worker.ts'
import { readBodies } from '../mime/bodies.ts'
import { verifyDkim } from '../mime/dkim/verify.ts'
import { parseFacts, parseMessage, parseNames, type ParsedMessage } from '../mime/parse.ts'
import { readStructure } from '../mime/structure.ts'
import type { DkimResult } from '../mime/types.ts'
import { readContentText, readDigest } from './digest.ts'
import { readNested } from './nested.ts'
import { readPage } from './page.ts'
import { type Findings, readFindings } from './findings.ts'

/** Everything in a message, with the links and codes in its bodies. */
function readMail(bytes: Buffer): ParsedMessage & Findings {
  const message = parseMessage(bytes)
  return { ...message, ...readFindings(message) }
}

function readBothBodies(bytes: Buffer): { text: string; html: string } {
  const { text, html } = readBodies(bytes, readStructure(bytes))
  return { text, html }
}

/** The bodies of an API send as they are stored. The stored JSON may have more members. */
export interface StoredBodies {
  html: string
  text: string
}

/** @param most  How many characters of each body are wanted. */
function readStoredBodies(json: Buffer, most: number): StoredBodies & { isCut: boolean } {
  const { html, text } = JSON.parse(json.toString()) as StoredBodies
  const isCut = Math.max(html.length, text.length) > most
  return { html: html.slice(0, most), text: text.slice(0, most), isCut }
}

/** A public key for the signatures of a message. */
export interface SignerKey {
  domain: string
  selector: string
  key: KeyObject
}

/**
 * @param keys  Those that are known of the signers of the message.
 * @returns The result, and whether it depends on the time.
 */
async function checkSignatures(
  bytes: Buffer,
  keys: readonly SignerKey[],
  nowMs: number,
): Promise<{ dkim: DkimResult | null; isTimed: boolean }> {
  const keyOf = async (domain: string, selector: string): Promise<KeyObject | null> =>
    keys.find((one) => one.domain === domain && one.selector === selector)?.key ?? null
  let isTimed = false
  const dkim = await verifyDkim(bytes, keyOf, () => {
    isTimed = true
    return nowMs
  })
  return { dkim, isTimed }
}

/** The work on the bytes of a message, and on its bodies. */
export const readingJobs: {
  readonly facts: typeof parseFacts
  readonly mail: typeof readMail
  readonly structure: typeof readStructure
  readonly bodies: typeof readBothBodies
  readonly fields: typeof parseNames
  readonly digest: typeof readDigest
  readonly content: typeof readStoredBodies
  readonly contentText: typeof readContentText
  readonly findings: typeof readFindings
  readonly signatures: typeof checkSignatures
  readonly page: typeof readPage
  readonly nested: typeof readNested
} = {
  facts: parseFacts,
  mail: readMail,
  structure: readStructure,
  bodies: readBothBodies,
  fields: parseNames,
  digest: readDigest,
  content: readStoredBodies,
  contentText: readContentText,
  findings: readFindings,
  signatures: checkSignatures,
  page: readPage,
  nested: readNested,
}

export type Readings = { [Kind in keyof typeof readingJobs]: JobResult<typeof readingJobs, Kind> }
