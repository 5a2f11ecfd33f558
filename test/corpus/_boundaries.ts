import { file, text, typed, type Expected } from './_corpus.ts'

/** The type of the file in these messages. */
export const png: string = 'Content-Type: image/png'

/** A message of a text and a file, with the boundary of the parameter and of the body. */
export function withBoundary(parameter: string, boundary: string): string {
  return typed(
    `multipart/mixed; ${parameter}`,
    `--${boundary}`,
    '',
    'Hello',
    `--${boundary}`,
    png,
    '',
    'png',
    `--${boundary}--`,
  )
}

/** The content of such a message. */
export const both: Expected = { leaves: [text('Hello'), file('image/png', 'png')], problem: false }
