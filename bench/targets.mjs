/**
 * What Localpost promises, as data. Ratios only, but where the promise itself is a time or a size.
 *
 * @typedef {ReturnType<typeof import('./lib/samples.mjs').createSamples>} Samples
 *
 * @typedef {object} Target
 * @property {string} name
 * @property {number} [atLeast]
 * @property {number} [atMost]
 * @property {string} [unit]  Default: `×`, a ratio.
 * @property {(samples: Samples) => number} of  NaN: not measured in this run.
 * @property {(samples: Samples) => number} [byCpu]  The same ratio by CPU time of the servers' main threads, which a busy
 *   machine disturbs less. Told, not judged.
 */

/** @returns {Target} A rate that is to be so many times another contender's. */
function rate(name, row, contender, other, atLeast) {
  return {
    name: `${name}: of ${other}`,
    atLeast,
    of: (m) => m.of(row, contender) / m.of(row, other),
    byCpu: (m) => m.of(row, other, 'mainUs') / m.of(row, contender, 'mainUs'),
  }
}

/** @returns {Target} A time that is to be at most so many times another one. */
function time(name, row, contender, other, metric, atMost) {
  return { name, atMost, of: (m) => m.of(row, contender, metric) / m.of(row, other, metric) }
}

/** @returns {Target} A time or size that is to be at most so much. */
function most(name, atMost, unit, row, contender, metric) {
  return { name, unit, atMost, of: (m) => m.of(row, contender, metric) }
}

/** @returns {Target} A time that is to be at most so much even at its worst. */
function worst(name, atMost, unit, row, contender, metric) {
  return { name, unit, atMost, of: (m) => m.worst(row, contender, metric) }
}

const loaded = 'start with 100000, ms'
const remembering = 'smtp 2 KB, with 50000 stored'
const embedded = 'embed, ms'
const held = 'memory, MiB, and stalls, ms'
const searched = 'search of the text, 100000 stored'
const changed = 'changes of 50000 mails, ms'
const paged = 'page of the inbox, ms'
const read = 'smtp 2 KB, texts read or not'

/** @type {Target[]} */
const targets = [
  most('static checks of a 60 KB mail', 25, 'ms', embedded, 'checks of a 60 KB mail', 'ms'),
  rate('2 KB', 'smtp 2 KB', 'process', 'floor', 0.45),
  rate('2 KB, disk', 'smtp 2 KB', 'disk', 'floor', 0.35),
  rate('2 KB', 'smtp 2 KB', 'process', 'maildev 2.2.1', 2),
  rate('2 KB', 'smtp 2 KB', 'process', 'maildev 3.0.0', 4),
  rate('20 KB', 'smtp 20 KB', 'process', 'floor', 0.65),
  rate('20 KB, disk', 'smtp 20 KB', 'disk', 'floor', 0.55),
  rate('20 KB', 'smtp 20 KB', 'process', 'maildev 2.2.1', 2),
  rate('20 KB', 'smtp 20 KB', 'process', 'maildev 3.0.0', 4),
  rate('1 MB', 'smtp 1 MB', 'process', 'floor', 0.55),
  rate('1 MB', 'smtp 1 MB', 'process', 'maildev 2.2.1', 5),
  rate('2 KB, a connection each', 'smtp 2 KB, one each', 'process', 'floor', 0.6),
  rate('2 KB, a connection each', 'smtp 2 KB, one each', 'process', 'maildev 2.2.1', 15),
  rate('2 KB, a connection each', 'smtp 2 KB, one each', 'process', 'maildev 3.0.0', 15),
  {
    name: '2 KB, right after deleting 50,000: of an instance that keeps few',
    atLeast: 0.8,
    of: (m) => m.of(remembering, 'deleted') / m.of('smtp 2 KB', 'process'),
    byCpu: (m) => m.of('smtp 2 KB', 'process', 'mainUs') / m.of(remembering, 'deleted', 'mainUs'),
  },
  time('one message, connect to 250: of floor', 'smtp single, ms', 'process', 'floor', 'p50Ms', 1.5),
  rate('POST accepted, outbox waiting', 'post accepted', 'outbox waiting', 'bare h3', 0.6),
  rate('POST accepted, outbox running', 'post accepted', 'outbox running', 'bare h3', 0.25),
  { name: 'signed deliveries', unit: '/s', atLeast: 300, of: (m) => m.of('delivered', 'process') },
  time('list, 50,000 stored: of 100 stored', 'list of 50, ms', '50000', '100', 'p50Ms', 1.5),
  time('list, 100,000 stored: of 100 stored', 'list of 50, ms', '100000', '100', 'p50Ms', 1.2),
  time('start, empty: of its imports', 'start empty, ms', 'process', 'its imports', 'ms', 2),
  most('start, 100,000 stored, 32 MB to replay', 1200, 'ms', loaded, 'process', 'ms'),
  {
    name: 'start after SIGKILL under load, beyond the start with 100,000',
    unit: 'ms',
    atMost: 1000,
    of: (m) => m.of('start after SIGKILL under load, ms', 'process', 'ms') - m.of(loaded, 'process', 'ms'),
  },
  {
    name: 'start until HTTP answers, 100,000 stored: maildev 3.0.0 takes',
    atLeast: 10,
    of: (m) => m.of(loaded, 'maildev 3.0.0', 'httpMs') / m.of(loaded, 'process', 'httpMs'),
  },
  {
    name: 'import of the library, above an empty Node',
    unit: 'ms',
    atMost: 100,
    of: (m) => m.of(embedded, 'import', 'ms') - m.of(embedded, 'bare node', 'ms'),
  },
  most('first instance in a process', 120, 'ms', embedded, 'first instance', 'ms'),
  most('another instance in the same process', 15, 'ms', embedded, 'another instance', 'ms'),
  most('from send to waitFor', 25, 'ms', embedded, 'send to waitFor', 'ms'),
  most('memory with 100,000 emails of 20 KB', 300, 'MiB', held, 'process', 'rss at 100000'),
  most('memory for each further email', 2048, 'bytes', held, 'process', 'rss per email at 100000, bytes'),
  time('page at position 50,000 of 100,000: of the first', paged, 'middle', 'first', 'p50Ms', 1.5),
  time('list, 1,000,000 stored: of 100 stored', 'list of 50, ms', '1000000', '100', 'p50Ms', 1.2),
  time('detail, 1,000,000 stored: of 100 stored', 'detail, ms', '1000000', '100', 'p50Ms', 1.2),
  most('mark 50,000 read', 1500, 'ms', changed, 'process', 'ms'),
  time('mark 50,000 read, CPU: of the floor', changed, 'process', 'floor', 'mark, CPU ms', 3),
  most('delete 50,000', 500, 'ms', changed, 'process', 'delete ms'),
  most('other requests while 50,000 are marked, p99', 30, 'ms', changed, 'process', 'mark, others p99 ms'),
  most('other requests while 50,000 are deleted, p99', 30, 'ms', changed, 'process', 'delete, others p99 ms'),
  worst('event loop stall while 50,000 are marked', 50, 'ms', changed, 'process', 'mark, stall ms'),
  worst('event loop stall while 50,000 are deleted', 50, 'ms', changed, 'process', 'delete, stall ms'),
  worst('events of a change of 50,000', 1, 'events', changed, 'process', 'events, each'),
  ...['subject', 'from', 'to'].flatMap((key) =>
    ['none', 'few', 'all'].map((hits) =>
      most(`search of 100,000 by ${key}:, ${hits}`, 60, 'ms', searched, 'process', `${key}: ${hits}, ms`),
    ),
  ),
  ...['is', 'source', 'status', 'domain', 'before', 'larger', 'has'].flatMap((key) =>
    ['none', 'all'].map((hits) =>
      most(`search of 100,000 by ${key}:, ${hits}`, 60, 'ms', searched, 'process', `${key}: ${hits}, ms`),
    ),
  ),
  most('search of 100,000 by tag:, none', 60, 'ms', searched, 'process', 'tag: none, ms'),
  ...['nowhere', 'message 42', 'wizards'].map((word) =>
    most(`search of 100,000 texts for "${word}"`, 150, 'ms', searched, 'process', `${word}, ms`),
  ),
  worst('event loop stall while searching, p99', 10, 'ms', searched, 'process', 'stall p99'),
  worst('event loop stall while searching, longest', 50, 'ms', searched, 'process', 'stall max'),
  rate('2 KB, texts read', read, 'read', 'not read', 0.9),
  worst(
    'from 250 to the live event, longest',
    250,
    'ms',
    'live events',
    'from 250 to the event, ms',
    'worstMs',
  ),
  most(
    'memory of a live reader that does not read',
    2,
    'MiB',
    'memory of stalled readers',
    'process',
    'MiB each, at most',
  ),
  worst('event loop stall under load, p99', 10, 'ms', held, 'process', 'stall p99'),
  worst('event loop stall under load, longest', 50, 'ms', held, 'process', 'stall max'),
]

/** @param {Samples} samples */
export function judge(samples) {
  return targets.map(({ name, atLeast, atMost, unit = '×', of, byCpu }) => {
    const measured = orNull(of(samples))
    const isMet =
      measured !== null &&
      (atLeast === undefined || measured >= atLeast) &&
      (atMost === undefined || measured <= atMost)
    return {
      name,
      wanted: `${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`} ${unit}`,
      measured,
      by_cpu: byCpu ? orNull(byCpu(samples)) : null,
      unit,
      verdict: measured === null ? 'not measured' : isMet ? 'pass' : 'miss',
    }
  })
}

function orNull(value) {
  return Number.isFinite(value) ? value : null
}
