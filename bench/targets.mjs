/** What Localpost promises. The promises about many mails are in `scale-targets.mjs`. */
import { most, rate, time, worst } from './target.mjs'
import { scaleTargets } from './scale-targets.mjs'

const loaded = 'start with 100000, ms'
const remembering = 'smtp 2 KB, with 50000 stored'
const embedded = 'embed, ms'
const held = 'memory, MiB, and stalls, ms'
const searched = 'search of the text, 100000 stored'
const changed = 'changes of 50000 mails, ms'
const read = 'smtp 2 KB, texts read or not'

const searchedInPostgres = 'search of the text, 100000 stored, PostgreSQL'
const inPostgres = 'smtp 2 KB, PostgreSQL'
const captured = 'capture of 2 KB in an account'
const readAccount = 'reads of an account of 100'
const removedAccount = 'removal of an account of 50000, ms'

/** @type {import('./target.mjs').Target[]} */
export const targets = [
  most('static checks of a 60 KB mail', 25, 'ms', embedded, 'checks of a 60 KB mail', 'ms'),
  rate('2 KB with 1,000 accounts', captured, '1000', '1', 0.95),
  ...['list', 'count', 'search'].map((what) => ({
    name: `${what} of an account of 100 beside one of 100,000: of alone`,
    atMost: 1.2,
    of: (m) => m.of(readAccount, 'process', `${what} beside`) / m.of(readAccount, 'process', `${what} alone`),
    byCpu: (m) =>
      m.of(readAccount, 'process', `${what} beside, CPU µs`) /
      m.of(readAccount, 'process', `${what} alone, CPU µs`),
  })),
  {
    name: 'requests of other accounts while one of 50,000 is removed, p99: of without',
    atMost: 2,
    of: (m) =>
      m.of(removedAccount, 'process', 'others p99, ms') /
      m.of(removedAccount, 'process', 'others p99 without, ms'),
  },
  most('an account made and removed', 10, 'ms', 'an account for a moment, ms', 'process', 'p50Ms'),
  rate('2 KB in PostgreSQL', inPostgres, 'one instance', 'disk', 0.35),
  rate('2 KB in PostgreSQL', inPostgres, 'one instance', 'mailpit', 2),
  rate('2 KB in PostgreSQL, two instances', inPostgres, 'two instances', 'one instance', 1.5),
  most(
    'live event of another instance',
    30,
    'ms',
    'live events, PostgreSQL',
    'from 250 to the event at another instance, ms',
    'p50Ms',
  ),
  ...['list of 50', 'detail'].map((what) =>
    time(
      `${what} in PostgreSQL, 100,000 stored: of 100 stored`,
      `${what}, PostgreSQL, ms`,
      '100000',
      '100',
      'p50Ms',
      1.2,
    ),
  ),
  most(
    'search of 100,000 texts in PostgreSQL for a phrase',
    100,
    'ms',
    searchedInPostgres,
    'trigrams',
    'message 42, ms',
  ),
  most('start with 1,000,000 in PostgreSQL', 1500, 'ms', 'start, PostgreSQL', '1000000', 'ms'),
  most(
    'start with 1,000,000 in PostgreSQL, resident',
    120,
    'MiB',
    'start, PostgreSQL',
    '1000000',
    'resident MiB',
  ),
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
  rate('2 KB, a connection each', 'smtp 2 KB, one each', 'process', 'maildev 2.2.1', 15),
  rate('2 KB, a connection each', 'smtp 2 KB, one each', 'process', 'maildev 3.0.0', 15),
  {
    name: '2 KB, right after deleting 50,000: of an instance that keeps few',
    atLeast: 0.8,
    of: (m) => m.of(remembering, 'deleted') / m.of('smtp 2 KB', 'process'),
    byCpu: (m) => m.of('smtp 2 KB', 'process', 'mainUs') / m.of(remembering, 'deleted', 'mainUs'),
  },
  time('one message, connect to 250: of floor', 'smtp single, ms', 'process', 'floor', 'p50Ms', 1.5),
  { name: 'signed deliveries', unit: '/s', atLeast: 300, of: (m) => m.of('delivered', 'process') },
  time('list, 50,000 stored: of 100 stored', 'list of 50, ms', '50000', '100', 'p50Ms', 1.5),
  time('list, 100,000 stored: of 100 stored', 'list of 50, ms', '100000', '100', 'p50Ms', 1.2),
  time(
    "first list by Mailpit's API: of /dev/inbox",
    'first list of the inbox, ms',
    'of Mailpit',
    'own',
    'mainUs',
    1.5,
  ),
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
  most('memory for each further email', 2048, 'bytes', held, 'process', 'rss per email at 100000, bytes'),
  time('mark 50,000 read, CPU: of the floor', changed, 'process', 'floor', 'mark, CPU ms', 3),
  worst('event loop stall while 50,000 are marked', 50, 'ms', changed, 'process', 'mark, stall ms'),
  worst('event loop stall while 50,000 are deleted', 50, 'ms', changed, 'process', 'delete, stall ms'),
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
  // Of those, some are measured in a whole run too.
  ...scaleTargets,
]
