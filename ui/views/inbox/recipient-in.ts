/** The recipient that a search is for: `to:ada@example.com`, or an address alone; null for other searches. */
export function recipientIn(search: string): string | null {
  const [, quoted, plain] = /(?:^|\s)(?:to|cc):(?:"([^"]{1,320})"|([^\s"]{1,320}))/i.exec(search) ?? []
  const named = (quoted ?? plain ?? '').trim()
  if (named !== '') return named
  return /^[^\s":@]{1,200}@[^\s":@]{1,200}$/.test(search.trim()) ? search.trim() : null
}
