import { lines } from './_corpus.ts'

/** The type of a message inside another. */
export const message: string = 'Content-Type: message/rfc822'

/** The lines of an inner message, as they are written in an outer one. */
export function innerLines(body: string): string[] {
  return ['From: eve@y.test', 'Subject: inner', '', body]
}

/** An inner message with this body. */
export function inner(body: string): string {
  return lines(...innerLines(body))
}

/** Without the last line end, which belongs to the boundary behind it. */
export function withoutEnd(all: string): string {
  return all.slice(0, -2)
}
