/** The recipients that a release begins with: those of the envelope, but for addresses of the simulator. */
export function releaseRecipients(recipients: readonly string[]): string[] {
  return recipients.filter((to) => !simulator.test(to)).slice(0, mostRecipients)
}

/** Takes addresses out of a typed or pasted text: `Ada <ada@example.com>, bob@example.com`. */
export function addressesIn(text: string): { addresses: string[]; rest: string } {
  const addresses: string[] = []
  const rest: string[] = []
  for (const piece of text.split(/[,;\n]|(?<=@\S{1,255})\s/)) {
    const trimmed = piece.trim()
    if (trimmed === '') continue
    const [, bracketed] = /<([^<>]*)>$/.exec(trimmed) ?? []
    const address = (bracketed ?? trimmed).trim()
    if (/^[^\s@<>]+@[^\s@<>]+$/.test(address)) addresses.push(address)
    else rest.push(trimmed)
  }
  return { addresses, rest: rest.join(', ') }
}

const simulator = /@simulator\.(?:localpost|amazonses\.com)$/i
/** How many recipients one release has at most. */
export const mostRecipients = 100
