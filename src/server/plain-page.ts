import { type Answer, bytesAnswer } from './answer.ts'

/** A page of a title and a few lines, without scripts. @param content  HTML. */
export function plainPage(
  title: string,
  content: string,
  status: number,
  headers: Record<string, string> = {},
): Answer {
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${title} · Localpost</title>
<style>body{font:16px/1.5 system-ui;margin:4rem auto;max-width:34rem;padding:0 1rem;overflow-wrap:anywhere}</style>
<main>
<h1>${title}</h1>
${content}
</main>
</html>
`
  return bytesAnswer(
    html,
    {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    },
    status,
  )
}

/** Text as HTML. */
export const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
