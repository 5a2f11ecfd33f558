import { randomUUID } from 'node:crypto'
import { bytesAnswer, type Answer } from '../../server/answer.ts'

/** A member of an answer: a text, members, or a list. */
export type XmlValue = string | number | readonly XmlValue[] | { readonly [name: string]: XmlValue }

const namespace = 'http://ses.amazonaws.com/doc/2010-12-01/'

/** The answer to an action. The id of a request is random even with a seed, because nothing is stored by it. */
export function toAnswer(action: string, result: { readonly [name: string]: XmlValue }): Answer {
  const requestId = element('ResponseMetadata', { RequestId: randomUUID() })
  return xml(`${action}Response`, element(`${action}Result`, result) + requestId, 200)
}

/** The answer to an action that failed. */
export function toErrorAnswer(
  error: { readonly Type: 'Sender' | 'Receiver'; readonly Code: string; readonly Message: string },
  status: number,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return xml('ErrorResponse', element('Error', error) + element('RequestId', randomUUID()), status, headers)
}

function xml(
  root: string,
  content: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const body = `<${root} xmlns="${namespace}">${content}</${root}>\n`
  return bytesAnswer(body, { ...headers, 'content-type': 'text/xml; charset=utf-8' }, status)
}

function element(name: string, value: XmlValue): string {
  return `<${name}>${xmlContent(value)}</${name}>`
}

function xmlContent(value: XmlValue): string {
  if (typeof value === 'string') return escapeXml(value)
  if (typeof value === 'number') return String(value)
  if (isList(value)) return value.map((one) => element('member', one)).join('')
  return Object.entries(value)
    .map(([name, one]) => element(name, one))
    .join('')
}

const isList = (value: XmlValue): value is readonly XmlValue[] => Array.isArray(value)

/** XML has no form for most control characters, so these become U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\r/g, '&#13;')
}
