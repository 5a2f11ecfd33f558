/** A name for a file with a mail, from its subject: without what file systems refuse. */
export function fileNameOf(subject: string): string {
  const name = subject
    .replaceAll(/[\p{Cc}\p{Cf}\p{Surrogate}"*/:<>?\\|]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 80)
    .replaceAll(/^[. ]+|[. ]{1,80}$/g, '')
  return name || 'mail'
}

/** Downloads a text as a file. */
export function saveFile(name: string, text: string): void {
  saveBlob(name, new Blob([text], { type: 'text/plain;charset=utf-8' }))
}

/** Downloads bytes as a file. */
export function saveBlob(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(bytes)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads it in its own time.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
