/** Whether a tag is the id of a broadcast, which its mails get automatically. */
export function isBroadcastTag(tag: string): boolean {
  return /^bc_[0-9a-z]{22}$/i.test(tag)
}

/** The tags that somebody chose. */
export function chosenTags(tags: readonly string[]): string[] {
  return tags.filter((tag) => !isBroadcastTag(tag))
}
