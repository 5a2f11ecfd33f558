/** Prints what happened, from what `/v1`, the webhooks and the request log said of it. */
export function printAccount({ post, dns, app, states, email, item, requests }) {
  const events = app.events()
  console.log(`\nThe domain acme.test, looked up at ${dns.address}`)
  for (const { domain, why } of states) {
    const { error_type } = domain.verification_info
    row([domain.status, 17], error_type ? `${why}: ${error_type}` : why)
  }

  console.log(`\nThe email ${email.id}, as ${post.url}/v1 shows it`)
  for (const { recipient, events: history } of email.recipient_statuses) {
    const { type, subtype } = item.recipient_statuses.find((one) => one.recipient === recipient)
    const statuses = history.map(({ status }) => status).join(', ')
    row([recipient, 31], [type ? `${statuses} ${type}/${subtype}` : statuses, 35], causeOf(recipient, events))
  }

  console.log(`\nThe webhooks: ${events.length} came to ${app.url}, all verified`)
  for (const [type, count] of countsOf(events)) row([type, 17], count)

  console.log(`\nThe requests to /v1, as ${post.url}/dev/requests shows them`)
  for (const { method, path, status, warnings } of requests) row(status, [method, 4], path, ...warnings)
  console.log('')
}

/** Why the last thing happened to a recipient. Webhooks say all that is known of an event, SMTP replies included. */
function causeOf(recipient, events) {
  const { data } = events.findLast((event) => event.data.recipient === recipient)
  switch (data.status) {
    case 'opened':
      return `image loaded by "${data.user_agent}"`
    case 'clicked':
      return `${data.link} followed by "${data.user_agent}"`
    default:
      return `SMTP ${data.smtp_response}`
  }
}

function countsOf(events) {
  const counts = new Map()
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].sort()
}

/** @param cells  Texts, or `[text, width]`. */
function row(...cells) {
  const padded = cells.map((cell) => (Array.isArray(cell) ? cell[0].padEnd(cell[1]) : cell))
  console.log(`  ${padded.join('  ')}`)
}
