/** Every way in which a socket or a proxy may write an IPv4 address. */
export function spellingsOf(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  const long = hex
    .split(':')
    .map((group) => group.padStart(4, '0'))
    .join(':')
  const mapped = [address, hex].flatMap((tail) => [`::ffff:${tail}`, `0:0:0:0:0:ffff:${tail}`])
  const forms = [
    ...mapped,
    `0000:0000:0000:0000:0000:ffff:${address}`,
    `0000:0000:0000:0000:0000:ffff:${long}`,
    // Translated, NAT64, 6to4, compatible.
    ...[address, hex].flatMap((tail) => [`::ffff:0:${tail}`, `64:ff9b::${tail}`, `::${tail}`]),
    `2002:${hex}::1`,
    `2002:${hex}:ffff:ffff:ffff:ffff:ffff`,
  ]
  const upper = forms.map((form) => form.toUpperCase())
  return [address, ...new Set([...forms, ...upper].flatMap((form) => [form, `${form}%eth0`, `${form}%1`]))]
}

/** The same as entries of `X-Forwarded-For`, some of which have a port, brackets or spaces. */
export function entriesOf(address: string): string[] {
  const entries = spellingsOf(address).flatMap((spelling) => [
    spelling,
    ` ${spelling}\t`,
    `[${spelling}]`,
    `[${spelling}]:4711`,
  ])
  return [...entries, `${address}:4711`]
}
