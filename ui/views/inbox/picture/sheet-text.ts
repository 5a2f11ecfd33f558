/**
 * The rules of a style sheet of a mail as CSS that means the same elsewhere: what a media query asks is answered by the
 * frame, since a picture has no screen of its own, and what only old documents may leave out is written in full.
 *
 * @param css  The text of the sheet, for a browser that does not show its rules.
 */
export function sheetText(sheet: CSSStyleSheet | null, css: string, view: Window): string {
  if (!sheet) return css
  try {
    if (!holds(sheet.media, view)) return ''
    return rulesText(sheet.cssRules, view)
  } catch {
    return css
  }
}

function rulesText(rules: CSSRuleList, view: Window): string {
  let text = ''
  for (const rule of rules) {
    if ('selectorText' in rule) text += styleText(rule as CSSStyleRule)
    else if (!('media' in rule && 'cssRules' in rule)) text += `${rule.cssText}\n`
    else if (holds(rule.media as MediaList, view)) text += rulesText(rule.cssRules as CSSRuleList, view)
  }
  return text
}

/** Nothing in an image is a link, so its links are known by their attribute. */
function styleText({ selectorText, cssText }: CSSStyleRule): string {
  const selector = selectorText
    .replaceAll(/:(?:any-|-webkit-any-)?link\b/g, '[href]')
    .replaceAll(/:visited\b/g, ':not(*)')
  return `${selector}${cssText.slice(selectorText.length)}\n`
}

const holds = ({ mediaText }: MediaList, view: Window): boolean =>
  mediaText === '' || view.matchMedia(mediaText).matches
