import { fixedClock } from '../../src/core/manual-clock.ts'
import type { KindTypes, Row } from '../../src/options/row.ts'
import { certificateFor } from '../support/certificate.ts'

/** Values of one kind of options. */
interface Samples {
  right: unknown
  /** The text of the same value on the command line; absent for kinds without flags. */
  typed?: string
  wrong: readonly unknown[]
  wrongTyped?: readonly string[]
}

const text: Samples = { right: 'some-text', typed: 'some-text', wrong: ['', 7, null, ['x']] }
const hookUrl = 'https://hooks.test'

/** Valid and invalid values for every kind. */
const samples: { readonly [K in keyof KindTypes]: Samples } = {
  text,
  folder: { ...text, right: '/some/folder', typed: '/some/folder' },
  file: { ...text, right: '/some/file', typed: '/some/file' },
  hostname: { right: 'mail.test', wrong: ['', 'a b', 'a/b', 7] },
  label: { right: 'one', wrong: ['', 'a b', 'a.b', '-a', 7] },
  nameOrNull: { right: 'Ada', wrong: ['', 7, {}] },
  url: {
    right: 'http://192.168.1.20:8025',
    typed: 'http://192.168.1.20:8025',
    wrong: ['', 'ftp://x', 'mail.test', 7],
    wrongTyped: ['ftp://x', 'mail.test'],
  },
  urlTemplate: {
    right: 'http://127.0.0.1:16686/trace/{trace_id}?a={trace_id}',
    typed: 'http://127.0.0.1:16686/trace/{trace_id}?a={trace_id}',
    wrong: [
      '',
      'http://x.test/',
      'ftp://x/{trace_id}',
      'javascript:{trace_id}',
      'http://a:b@x/{trace_id}',
      7,
    ],
    wrongTyped: ['http://x.test/', 'javascript:{trace_id}'],
  },
  store: {
    right: 'postgres://localpost:secret@127.0.0.1:5432/mail',
    typed: 'postgres://localpost:secret@127.0.0.1:5432/mail',
    wrong: ['', 'postgres:hunter2', 'mysql://ada:hunter2@db.test/mail', 7],
    wrongTyped: ['postgres:hunter2', 'mysql://ada:hunter2@db.test/mail'],
  },
  secretUrl: {
    right: 'http://:a%20secret@127.0.0.1:11334',
    typed: 'http://:a%20secret@127.0.0.1:11334',
    wrong: ['', 'ftp://x', 'http://:hunter2%@mail.test', 7],
    wrongTyped: ['ftp://x', 'http://:hunter2%@mail.test'],
  },
  relay: {
    right: 'smtps://ada:p%40ss@mail.test:465',
    typed: 'smtps://ada:p%40ss@mail.test:465',
    wrong: ['ada:hunter2@mail.test', 'smtp://ada:hunter2%@mail.test', 'smtp:hunter2', 'http://hunter2.test'],
    wrongTyped: ['ada:hunter2@mail.test', 'smtp://ada:hunter2@ho st'],
  },
  issuer: {
    right: 'https://login.test/realms/acme/',
    typed: 'https://login.test/realms/acme/',
    wrong: ['', 'http://login.test', 'https://login.test/?a', 'https://a:b@login.test', 'login.test', 7],
    wrongTyped: ['http://login.test', 'https://login.test/#a', 'ftp://127.0.0.1'],
  },
  secret: {
    right: 's3 cret',
    typed: 's3 cret',
    wrong: ['', 'hunter2é', ['hunter2']],
    wrongTyped: ['hunter2é'],
  },
  endpoint: {
    right: '127.0.0.1:783',
    typed: '127.0.0.1:783',
    wrong: ['', '127.0.0.1', 'spam.test:0', 'spam.test:99999', 'http://spam.test:783', 7],
    wrongTyped: ['127.0.0.1', 'spam.test:0', 'http://spam.test:783'],
  },
  choice: { right: '', typed: '', wrong: ['', 'hunter', 7, true], wrongTyped: ['hunter', 'PROCESS'] },
  switch: { right: true, typed: 'true', wrong: ['true', 1, null], wrongTyped: ['yes', 'on', '2'] },
  port: {
    right: 2525,
    typed: '2525',
    wrong: [-1, 65_536, 1.5, '25'],
    wrongTyped: ['65536', '1.5', '0x10', '1e3', ' 1'],
  },
  count: {
    right: 9,
    typed: '9',
    wrong: [0, -1, 1.5, '9', Number.POSITIVE_INFINITY],
    wrongTyped: ['0', '-1', '1.5', 'ten', '9999999999999999'],
  },
  ms: {
    right: 5_400_000,
    typed: '90m',
    wrong: [-1, 1.5, '90m', Number.POSITIVE_INFINITY],
    wrongTyped: ['0', '7', 'd', '-1d', '0d', '1e3d', ' 7d', '7y', '999999999999w'],
  },
  delays: { right: [10, 20], wrong: [7, [-1], [1.5], ['1'], 'x'] },
  texts: { right: ['one.test', 'two.test'], typed: 'one.test,two.test', wrong: ['x', [7], ['']] },
  keys: {
    right: ['key-one', 'key-two'],
    typed: 'key-one,key-two',
    wrong: ['hunter2', ['hunter2 '], [['hunter2']], { hunter2: 1 }],
    wrongTyped: ['hunter 2', 'hunter2é'],
  },
  destinations: {
    right: ['10.0.0.0/8', 'hooks.internal:9000'],
    typed: '10.0.0.0/8,hooks.internal:9000',
    wrong: ['10.0.0.0/8', ['10.0.0.0/99'], ['a b'], [7]],
    wrongTyped: ['10.0.0.0/99', 'a b', 'x:99999'],
  },
  ranges: {
    right: ['10.1.0.0/16', '127.0.0.1'],
    typed: '10.1.0.0/16,127.0.0.1',
    wrong: ['10.0.0.0/8', ['10.0.0.0/99'], ['proxy.test'], [7]],
    wrongTyped: ['10.0.0.0/99', 'proxy.test'],
  },
  certificate: {
    right: certificateFor('localhost'),
    wrong: ['hunter2', true, { key: 'hunter2' }, { key: 'hunter2', cert: 'hunter2' }],
  },
  switchOrCertificate: {
    right: true,
    typed: 'true',
    wrong: ['hunter2', { key: 'hunter2' }, { key: 'hunter2', cert: 'hunter2' }],
    wrongTyped: ['yes'],
  },
  rateLimit: {
    right: { requests: 5, perMs: 1000 },
    wrong: [
      5,
      { requests: 5 },
      { requests: -1, perMs: 1 },
      ...[0, '60000', true, Number.POSITIVE_INFINITY].map((perMs) => ({ requests: 1, perMs })),
    ],
  },
  webhooks: {
    right: [{ url: hookUrl }],
    wrong: [{ url: hookUrl, secret: 'hunter2' }, ['hunter2'], 'hunter2'],
  },
  rules: { right: [{ match: 'bob@acme.test', action: 'reject' }], wrong: ['x', {}, [7], [{ macht: 'x' }]] },
  noticeHandler: { right: () => {}, wrong: ['x', {}, true] },
  clock: { right: fixedClock('2026-01-01T00:00:00Z'), wrong: [7, {}, { now: () => 1 }] },
  seed: { right: 'a seed', wrong: [true, {}, Number.NaN] },
  group: { right: {}, wrong: [7, 'x', [], null] },
}

/** Values for a row; a choice takes its last one. */
export function samplesOf(row: Row): Samples {
  const own = samples[row.kind]
  const choice = row.values?.at(-1)
  return choice === undefined ? own : { ...own, right: choice, typed: choice }
}
