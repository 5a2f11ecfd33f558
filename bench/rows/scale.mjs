/** The rows of `--scale`: what Localpost costs in memory and time with many mails. One run takes about a quarter of an hour. */
import { bulkGroups } from './bulk.mjs'
import { churnGroups } from './churn.mjs'
import { embedGroups } from './embed.mjs'
import { floodGroups } from './flood.mjs'
import { listGroups } from './lists.mjs'
import { searchGroups } from './search.mjs'
import { sendGroups } from './send.mjs'
import { smtpGroups } from './smtp.mjs'
import { startGroups } from './start.mjs'

/** @returns {import('../run.mjs').Group[]} */
export function scaleGroups(quick) {
  const [few, some, many, most] = quick ? [100, 1000, 2000, 4000] : [100, 50_000, 100_000, 1_000_000]
  return [
    ...chosen(smtpGroups, /^smtp \d/, ['floor', 'process', 'disk', 'mailpit']),
    ...chosen(sendGroups, /^post/, ['bare h3', 'outbox waiting', 'outbox running']),
    ...chosen(embedGroups, /^embed/, ['100 instances, a mail each']),
    ...chosen(startGroups(many), /^closed/, ['process']),
    ...chosen(listGroups([few, many]), /^(?!first)/, [String(few), 'first', 'middle']),
    ...bulkGroups(some),
    ...searchGroups(many),
    ...floodGroups([
      { count: many, bytes: 20 * 1024 },
      { count: most, bytes: 2 * 1024, isListed: true },
    ]),
    ...churnGroups(most),
  ]
}

/** The emails that `--scale` seeds. */
export function scaleSizes(quick) {
  return quick ? [100, 1000, 2000] : [100, 50_000, 100_000]
}

function chosen(groups, rows, contenders) {
  return groups
    .filter(({ row }) => rows.test(row))
    .map((group) => ({ ...group, contenders: group.contenders.filter((one) => contenders.includes(one)) }))
}
