import assert from 'node:assert/strict'

/** The four states, and what DNS said. */
export function assertDomain({ states }) {
  assert.deepEqual(
    states.map(({ domain }) => [domain.status, domain.verification_info.error_type]),
    [
      ['NOT_STARTED', undefined],
      ['PENDING', 'HOST_NOT_FOUND'],
      ['SUCCESS', undefined],
      ['TEMPORARY_FAILURE', 'HOST_NOT_FOUND'],
    ],
  )
}

/** Five recipients, five outcomes. */
export function assertEmail({ email, item }) {
  assert.deepEqual(historyOf(email), {
    'ada@example.com': ['sent', 'delivered'],
    'nobody@example.com': ['sent', 'bounced'],
    'mailboxfull@simulator.localpost': ['sent', 'bounced'],
    'olga@example.com': ['sent', 'delivered', 'opened'],
    'carl@example.com': ['sent', 'delivered', 'opened', 'clicked'],
  })
  const bounces = item.recipient_statuses.filter(({ status }) => status === 'bounced')
  assert.deepEqual(
    bounces.map(({ type, subtype }) => `${type}/${subtype}`),
    ['Permanent/General', 'Transient/MailboxFull'],
  )
}

/** How many events there are: 7 of the domain, 13 of the email. */
export const eventCount = 20

/** The webhooks told the whole story, too, in its order and nothing else. */
export function assertWebhooks({ app, states, email }) {
  assert.deepEqual(app.refused, [])
  const events = app.events()
  assert.equal(events.length, eventCount)
  const statuses = events.filter(({ type }) => type.startsWith('domain.')).map(({ data }) => data.status)
  assert.deepEqual(
    [...new Set(statuses)],
    states.map(({ domain }) => domain.status),
  )
  for (const [recipient, history] of Object.entries(historyOf(email))) {
    const told = events.filter(({ data }) => data.recipient === recipient)
    assert.deepEqual(
      told.map(({ data }) => data.status),
      history,
    )
  }
}

/** The log has what the client asked, and nothing of what the library did. */
export function assertRequests({ requests, email }) {
  assert.deepEqual(
    requests.map(({ method, path, status }) => `${method} ${path} ${status}`),
    [
      'POST /v1/emails 403',
      'POST /v1/emails 200',
      'POST /v1/emails 403',
      `GET /v1/emails/${email.id} 200`,
      'GET /v1/emails 200',
    ],
  )
}

function historyOf(email) {
  return Object.fromEntries(
    email.recipient_statuses.map(({ recipient, events }) => [recipient, events.map(({ status }) => status)]),
  )
}
