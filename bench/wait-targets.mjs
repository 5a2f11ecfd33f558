/** How long a person may wait: the targets of `--waits`. */
import { most, time } from './target.mjs'

const stored = 'with 100000 stored'
const flooded = 'right after a flood of 20000'
const restarted = 'a restart right after 300000'

/** @type {import('./target.mjs').Target[]} */
export const waitTargets = [
  most('process: subject: right after a flood', 1000, 'ms', flooded, 'process', 'subject:, ms'),
  most('PostgreSQL: subject: right after a flood', 150, 'ms', flooded, 'PostgreSQL', 'subject:, ms'),
  most('PostgreSQL: from: right after a flood', 150, 'ms', flooded, 'PostgreSQL', 'from:, ms'),
  ...['process', 'PostgreSQL'].flatMap((contender) => [
    most(`${contender}: a word right after a flood`, 300, 'ms', flooded, contender, 'a word, ms'),
    most(`${contender}: page in the middle of 100,000`, 15, 'ms', stored, contender, 'middle page, ms'),
    most(`${contender}: a word of all`, 80, 'ms', stored, contender, 'word of all, ms'),
    most(
      `${contender}: first page of a word of all`,
      50,
      'ms',
      stored,
      contender,
      'word of all, first page, ms',
    ),
  ]),
  {
    name: 'PostgreSQL: texts read of those of a flood',
    unit: '/s',
    atLeast: 3000,
    of: (m) => m.of(flooded, 'PostgreSQL', 'texts read per second'),
  },
  time('PostgreSQL: mark all read: of the folder', stored, 'PostgreSQL', 'process', 'mark all, ms', 1.5),
  most('greeting after a restart with 300,000', 1000, 'ms', restarted, 'process', 'greeting, ms'),
  most('a word right after that', 300, 'ms', restarted, 'process', 'a word at once, ms'),
  most('a word after a further restart', 3000, 'ms', restarted, 'process', 'a word then, ms'),
  most('mails left out then', 0, 'mails', restarted, 'process', 'left out then'),
]
