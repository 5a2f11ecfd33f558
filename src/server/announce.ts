import type { ServerDeps } from './deps.ts'
import type { LiveEvents } from './live-events.ts'

/** Tells the live events what happens outside the store: requests, SMTP sessions, bulk changes, and removals that may be undone. */
export function announce(
  { log, smtpSessions, inbox }: Pick<ServerDeps, 'log' | 'smtpSessions' | 'inbox'>,
  live: LiveEvents,
): void {
  log.onAdded((request) => {
    live.publish('request.logged', () => {
      const { request_body: _request, response_body: _response, ...rest } = request()
      return rest
    })
  }, live.isWatched)
  smtpSessions.onEnded((session) => live.publish('smtp.session', session), live.isWatched)
  inbox.bulk.onProgress((progress) => live.publish('bulk.progress', () => progress))
  inbox.removals.onChanged((ids, change) => {
    // Mails that come back are not new, so no one is notified of them.
    if (change === 'hidden') for (const id of ids) live.publish('email.deleted', () => ({ id }))
    else live.publish('emails.changed', () => ({ updated: ids.length, deleted: 0 }))
  })
}

/** Ends that for the logs, which may outlive the HTTP interface. */
export function stopAnnouncing({ log, smtpSessions }: Pick<ServerDeps, 'log' | 'smtpSessions'>): void {
  log.onAdded(() => {})
  smtpSessions.onEnded(
    () => {},
    () => false,
  )
}
