/** What Localpost promises with many mails: the targets of `--scale`. */
import { most, rate, time, worst } from './target.mjs'

const small = 'flood of 1000000 mails of 2 KB'
const large = 'flood of 100000 mails of 20 KB'
const changed = 'changes of 50000 mails, ms'
const searched = 'search of the text, 100000 stored'
const churned = 'churn of 1000000 mails, 5000 kept'
const after = ['MiB 10 s after the flood', 'MiB 10 s after a restart']

/** Rates of the floor in the run of 2026-11-22 02:19, when records that rest were still in memory. */
const before = [
  ['smtp 2 KB', 'process', 0.725],
  ['smtp 2 KB', 'disk', 0.619],
  ['smtp 20 KB', 'process', 0.728],
  ['smtp 20 KB', 'disk', 0.609],
  ['smtp 1 MB', 'process', 0.526],
  ['smtp 1 MB', 'disk', 0.629],
]

/** @type {import('./target.mjs').Target[]} */
export const scaleTargets = [
  most('memory 10 s after 100,000 mails of 20 KB', 150, 'MiB', large, 'process', after[0]),
  most('memory 10 s after 1,000,000 mails of 2 KB', 400, 'MiB', small, 'process', after[0]),
  most('memory 10 s after a restart on these 100,000', 110, 'MiB', large, 'process', after[1]),
  most('memory 10 s after a restart on these 1,000,000', 250, 'MiB', small, 'process', after[1]),
  most('start with 100,000, a list answered', 500, 'ms', 'closed with 100000, ms', 'process', 'ms'),
  most('start with 1,000,000, a list answered', 2500, 'ms', small, 'process', 'start, ms'),
  most('mark 50,000 read', 1500, 'ms', changed, 'process', 'ms'),
  most('delete 50,000', 500, 'ms', changed, 'process', 'delete ms'),
  most('other requests while 50,000 are marked, p99', 30, 'ms', changed, 'process', 'mark, others p99 ms'),
  most('other requests while 50,000 are deleted, p99', 30, 'ms', changed, 'process', 'delete, others p99 ms'),
  worst('events of a change of 50,000', 1, 'events', changed, 'process', 'events, each'),
  ...['subject', 'from', 'to'].flatMap((key) =>
    ['none', 'few', 'all'].map((hits) =>
      most(`search of 100,000 by ${key}:, ${hits}`, 60, 'ms', searched, 'process', `${key}: ${hits}, ms`),
    ),
  ),
  time(
    'page at position 50,000 of 100,000: of the first',
    'page of the inbox, ms',
    'middle',
    'first',
    'p50Ms',
    1.5,
  ),
  ofFew('list', 'list of 50, ms'),
  ofFew('detail', 'detail, ms'),
  rate('POST accepted, outbox waiting', 'post accepted', 'outbox waiting', 'bare h3', 0.6),
  rate('POST accepted, outbox running', 'post accepted', 'outbox running', 'bare h3', 0.3),
  rate('2 KB, a connection each', 'smtp 2 KB, one each', 'process', 'floor', 0.6),
  ...before.map(([row, contender, ratio]) =>
    rate(
      `${row}, ${contender}, at most 3 % below the last run`,
      row,
      contender,
      'floor',
      Number((0.97 * ratio).toFixed(3)),
    ),
  ),
  most(
    'disk while 1,000,000 mails come and 5,000 stay',
    3,
    '× live',
    churned,
    'process',
    'disk at most, of live',
  ),
  most('memory growth over their last half', 10, 'MiB', churned, 'process', 'growth, MiB'),
  most(
    '100 instances with a mail each',
    3,
    'MiB each',
    'embed, ms',
    '100 instances, a mail each',
    'MiB each',
  ),
]

/** A time with 1,000,000 mails, of the same with 100. */
function ofFew(name, row) {
  return {
    name: `${name}, 1,000,000 stored: of 100 stored`,
    atMost: 1.2,
    of: (m) => m.of(small, 'process', `${name}, ms`) / m.of(row, '100', 'p50Ms'),
  }
}
