import type { Ignored } from './preview-css.ts'

/**
 * HTML as the Word engine of Outlook reads it: the text of conditional comments for Outlook is a part of it, and the text
 * for other clients is not. Lines keep their numbers. It takes linear time.
 */
export function asWord(html: string): { html: string; ignored: Ignored[] } {
  const written: string[] = []
  const ignored: Ignored[] = []
  let at = 0
  let length = 0
  const write = (text: string): void => {
    written.push(text)
    length += text.length
  }
  begin.lastIndex = 0
  for (let found = begin.exec(html); found; found = begin.exec(html)) {
    const { comment, shown, declaration = '' } = found.groups ?? {}
    // `<!--[if …]>` is a comment for other clients; `<!--[if …]><!-->` and `<![if …]>` show their text to them.
    const isHidden = comment !== undefined && shown === undefined
    end.lastIndex = begin.lastIndex
    const ending = end.exec(html)
    // Without an end it is a plain comment, and so are all later ones.
    if (!ending) break
    const applies = holds(comment ?? declaration)
    const text = html.slice(begin.lastIndex, ending.index)
    if (applies || !isHidden) {
      write(html.slice(at, found.index))
      if (!applies) ignored.push({ feature: 'not-outlook', start: length, snippet: found[0] })
      write(applies ? text : text.replace(/[^\n]+/g, ''))
      at = end.lastIndex
    }
    begin.lastIndex = end.lastIndex
  }
  return { html: written.join('') + html.slice(at), ignored }
}

/** Whether a condition holds in the current Outlook: `mso`, `gte mso 9`, `!mso`, `(gte mso 9)|(IE)`. */
const holds = (condition: string): boolean =>
  condition.split('|').some((one) => one.split('&').every(termHolds))

function termHolds(term: string): boolean {
  const plain = term.replace(/[()\s]+/g, ' ').trim()
  const [, not, comparison, name, version] =
    /^(!)? ?(?:(lte?|gte?) )?([a-z]+)(?: (\d+)(?:\.\d+)?)?$/i.exec(plain) ?? []
  const isWord = name?.toLowerCase() === 'mso' || name?.toLowerCase() === 'true'
  const wanted = version === undefined ? wordVersion : Number(version)
  const answers: Readonly<Record<string, boolean>> = {
    lt: wordVersion < wanted,
    lte: wordVersion <= wanted,
    gt: wordVersion > wanted,
    gte: wordVersion >= wanted,
  }
  const matches = isWord && (answers[comparison?.toLowerCase() ?? ''] ?? wordVersion === wanted)
  return matches !== (not === '!')
}

/** Of Outlook 2016 and later. */
const wordVersion = 16
const begin =
  /<!--\[if\s(?<comment>[^\]>]{1,200})\]>(?<shown><!-->|-->)?|<!\[if\s(?<declaration>[^\]>]{1,200})\]>/gi
const end = /(?:<!--)?\s?<!\[endif\](?:--)?>/gi
