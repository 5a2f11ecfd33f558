import type { TextTerm } from '../texts.ts'
import type { Parameters } from './parameters.ts'

/**
 * Whether a record can have a term in one of its strings, judged by its JSON alone: never false for a record that has it. So only
 * the records that are left have to be sent and read.
 */
export function recordMayHold({ forms, isNegative }: TextTerm, parameters: Parameters): string {
  if (isNegative) return 'true'
  const mayHold = forms.map((form) => {
    // Other letters than those of ASCII are compared by the record: PostgreSQL does not fold them as searches do.
    if (!/^[ -~]*$/.test(form)) return 'false'
    const has = (text: string): string =>
      `strpos(lower(${json}), ${parameters.add(JSON.stringify(text).slice(1, -1), 'text')}) > 0`
    if (!form.includes(' ')) return has(form)
    const words = form.split(' ').toSorted((a, b) => b.length - a.length)
    return `(${words.slice(0, mostWords).map(has).join(' AND ')} AND (${has(form)} OR ${mayFoldSpaces}))`
  })
  return `(${[...mayHold, isBeyondAscii].join(' OR ')})`
}

const json = 'record::text COLLATE "C"'
/**
 * A database of another encoding may have one byte for each character, so that all its records are read. Half of a surrogate
 * pair is escaped in JSON: `\ud83d`.
 */
const isBeyondAscii = `(current_setting('server_encoding') <> 'UTF8' OR octet_length(record::text) > char_length(record::text)
  OR strpos(${json}, chr(92) || 'ud') > 0)`
/** Whether white space may have to be folded: it is escaped in JSON by a backslash, or there are two spaces. */
const mayFoldSpaces = ['chr(92)', "'  '", 'chr(127)']
  .map((text) => `strpos(${json}, ${text}) > 0`)
  .join(' OR ')
/** Of a term, the longest words are looked for first: usually few records have them. */
const mostWords = 3
