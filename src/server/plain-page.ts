import { type Answer, bytesAnswer } from './answer.ts'

/**
 * A page of a title and a few lines, without scripts.
 *
 * @param page.title, page.content  HTML.
 * @param page.formAction  Where its forms may be sent, as a Content-Security-Policy names it. Default: nowhere.
 */
export function plainPage(page: {
  title: string
  content: string
  status?: number
  headers?: Readonly<Record<string, string>>
  formAction?: "'none'" | "'self'"
}): Answer {
  const { title, content, status = 200, headers = {}, formAction = "'none'" } = page
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${title} · Localpost</title>
<style>body{font:16px/1.5 system-ui;margin:4rem auto;max-width:34rem;padding:0 1rem;overflow-wrap:anywhere}button{font:inherit;padding:.5rem 1rem}</style>
<main>
<h1>${title}</h1>
${content}
</main>
</html>
`
  return bytesAnswer(
    html,
    {
      'referrer-policy': 'no-referrer',
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
    },
    status,
  )
}
