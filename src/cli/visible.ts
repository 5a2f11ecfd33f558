/**
 * Untrusted text for a terminal. Each control character, line separator and invisible character, such as those for the
 * direction of text, is replaced by U+FFFD: a terminal would interpret it.
 */
export function visible(text: string): string {
  return text.replace(invisible, '\uFFFD')
}

/** The same for text in JSON, which stays the same: each of these characters becomes an escape of JSON. */
export function escapeInvisible(json: string): string {
  return json.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const invisible =
  // oxlint-disable-next-line no-control-regex -- these are what must go
  /[\u0000-\u001f\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
