import { corpus, lines, utf8, type Person } from './_corpus.ts'

/** A message with this value in its To field; further strings are the next lines. */
const to = (...value: string[]): string =>
  lines('From: ada@x.test', `To: ${value.join('\r\n')}`, 'Subject: s', '', 'Hello')

const one = (title: string, section: string, value: string, ...people: Person[]): Row => [
  title,
  section,
  [value],
  people,
]
type Row = readonly [title: string, says: string, value: readonly string[], people: readonly Person[]]

const rows: Row[] = [
  one('an address', 'RFC 5322 section 3.4.1', 'bob@x.test', ['', 'bob@x.test']),
  one('an address in angle brackets', 'RFC 5322 section 3.4', '<bob@x.test>', ['', 'bob@x.test']),
  one('a name and an address', 'RFC 5322 section 3.4', 'Bob <bob@x.test>', ['Bob', 'bob@x.test']),
  one('a name of several words', 'RFC 5322 section 3.4', 'Bob the  Builder <bob@x.test>', [
    'Bob the Builder',
    'bob@x.test',
  ]),
  one('a quoted name', 'RFC 5322 section 3.2.4', '"Builder, Bob" <bob@x.test>', [
    'Builder, Bob',
    'bob@x.test',
  ]),
  one('quotes inside a quoted name', 'RFC 5322 section 3.2.4', '"Bob \\"B\\" B" <bob@x.test>', [
    'Bob "B" B',
    'bob@x.test',
  ]),
  one('a backslash inside a quoted name', 'RFC 5322 section 3.2.4', '"a\\\\b" <bob@x.test>', [
    'a\\b',
    'bob@x.test',
  ]),
  one('an address as a quoted name', 'RFC 5322 section 3.4', '"eve@evil.test" <bob@x.test>', [
    'eve@evil.test',
    'bob@x.test',
  ]),
  one('an angle bracket in a quoted name', 'RFC 5322 section 3.2.4', '"a <eve@evil.test>" <bob@x.test>', [
    'a <eve@evil.test>',
    'bob@x.test',
  ]),
  one('an empty quoted name', 'RFC 5322 section 3.2.4', '"" <bob@x.test>', ['', 'bob@x.test']),
  one(
    'two addresses',
    'RFC 5322 section 3.4',
    'bob@x.test, carl@x.test',
    ['', 'bob@x.test'],
    ['', 'carl@x.test'],
  ),
  one(
    'two with names',
    'RFC 5322 section 3.4',
    'Bob <bob@x.test>,Carl <carl@x.test>',
    ['Bob', 'bob@x.test'],
    ['Carl', 'carl@x.test'],
  ),
  one(
    'empty places in a list',
    'RFC 5322 section 4.4',
    ',bob@x.test,, ,carl@x.test,',
    ['', 'bob@x.test'],
    ['', 'carl@x.test'],
  ),
  one('a dot in a name', 'RFC 5322 section 4.1, obs-phrase', 'John Q. Public <john@x.test>', [
    'John Q. Public',
    'john@x.test',
  ]),
  one('a name behind the address, in a comment', 'RFC 5322 section 3.4', 'bob@x.test (Bob)', [
    'Bob',
    'bob@x.test',
  ]),
  one('a route before the address', 'RFC 5322 section 4.4, obs-route', 'Bob <@a.test,@b.test:bob@x.test>', [
    'Bob',
    'bob@x.test',
  ]),
  one(
    'a group',
    'RFC 5322 section 3.4',
    'Team: bob@x.test, Carl <carl@x.test>;',
    ['', 'bob@x.test'],
    ['Carl', 'carl@x.test'],
  ),
  one(
    'a group beside an address',
    'RFC 5322 section 3.4',
    'Team: bob@x.test;, carl@x.test',
    ['', 'bob@x.test'],
    ['', 'carl@x.test'],
  ),
  one('an empty group', 'RFC 5322 section 3.4', 'undisclosed-recipients:;'),
  one('an empty group with a space', 'RFC 5322 section 3.4', 'Undisclosed recipients: ;'),
  one(
    'two groups',
    'RFC 5322 section 3.4',
    'A: bob@x.test; B: carl@x.test;',
    ['', 'bob@x.test'],
    ['', 'carl@x.test'],
  ),
  one('a quoted local part', 'RFC 5322 section 3.4.1', '"bob b"@x.test', ['', '"bob b"@x.test']),
  one('a quoted local part in angle brackets', 'RFC 5322 section 3.4.1', 'Bob <"bob b"@x.test>', [
    'Bob',
    '"bob b"@x.test',
  ]),
  one('an "@" in a quoted local part', 'RFC 5322 section 3.4.1', 'Bob <"b@b"@x.test>', [
    'Bob',
    '"b@b"@x.test',
  ]),
  one(
    'a comma in a quoted local part',
    'RFC 5322 section 3.4.1',
    '"b,b"@x.test, carl@x.test',
    ['', '"b,b"@x.test'],
    ['', 'carl@x.test'],
  ),
  one('an angle bracket in a quoted local part', 'RFC 5322 section 3.4.1', '<"b>b"@x.test>', [
    '',
    '"b>b"@x.test',
  ]),
  one('an address literal', 'RFC 5322 section 3.4.1', 'bob@[192.0.2.1]', ['', 'bob@[192.0.2.1]']),
  one('an address literal of IPv6', 'RFC 5321 section 4.1.3', 'Bob <bob@[IPv6:2001:db8::1]>', [
    'Bob',
    'bob@[IPv6:2001:db8::1]',
  ]),
  one('a domain of one label', 'RFC 5322 section 3.4.1', 'root@localhost', ['', 'root@localhost']),
  one('all characters that need no quotes', 'RFC 5322 section 3.2.3', "!#$%&'*+/=?^_`{|}~-@x.test", [
    '',
    "!#$%&'*+/=?^_`{|}~-@x.test",
  ]),
  one('a tag behind a plus', 'RFC 5233 section 4', 'bob+tag@x.test', ['', 'bob+tag@x.test']),
  one('capitals, which stay', 'RFC 5321 section 2.4', 'Bob.B@X.Test', ['', 'Bob.B@X.Test']),
  one('a name in UTF-8', 'RFC 6532 section 3.2', `${utf8('Jörg Müller')} <j@x.test>`, [
    'Jörg Müller',
    'j@x.test',
  ]),
  one('a quoted name in UTF-8', 'RFC 6532 section 3.2', `"${utf8('Müller, Jörg')}" <j@x.test>`, [
    'Müller, Jörg',
    'j@x.test',
  ]),
  one('an address in UTF-8', 'RFC 6532 section 3.2', utf8('jörg@bücher.example'), [
    '',
    'jörg@bücher.example',
  ]),
  one('a domain in A-labels', 'RFC 5890 section 2.3.2.1', 'j@xn--bcher-kva.example', [
    '',
    'j@xn--bcher-kva.example',
  ]),
  one('an encoded name', 'RFC 2047 section 5 (3)', '=?utf-8?B?SsO2cmc=?= <j@x.test>', ['Jörg', 'j@x.test']),
  one(
    'an encoded name with a comma, beside another',
    'RFC 2047 section 5 (3)',
    '=?utf-8?Q?a=2Cb?= <j@x.test>, c@x.test',
    ['a,b', 'j@x.test'],
    ['', 'c@x.test'],
  ),
  one(
    'encoded and plain words in one name',
    'RFC 2047 section 5 (3)',
    '=?utf-8?Q?J=C3=B6rg?= Smith <j@x.test>',
    ['Jörg Smith', 'j@x.test'],
  ),
  one('an encoded name in a comment', 'RFC 2047 section 5 (2)', 'j@x.test (=?utf-8?Q?J=C3=B6rg?=)', [
    'Jörg',
    'j@x.test',
  ]),
  one('an apostrophe in a name', 'RFC 5322 section 3.2.3', "Conan O'Brien <c@x.test>", [
    "Conan O'Brien",
    'c@x.test',
  ]),
  one('a name in single quotes, which are a part of it', 'RFC 5322 section 3.2.3', "'Bob' <bob@x.test>", [
    "'Bob'",
    'bob@x.test',
  ]),
  one('a name without an address is not an address', 'RFC 5322 section 3.4', 'Bob'),
  one(
    'a semicolon between addresses, as some programs write',
    'project: RFC 5322 section 3.4 has a comma',
    'bob@x.test; carl@x.test',
    ['', 'bob@x.test'],
    ['', 'carl@x.test'],
  ),
  one('a missing angle bracket', 'project: cut short', 'Bob <bob@x.test', ['Bob', 'bob@x.test']),
  one('a tab between name and address', 'RFC 5322 section 3.2.2', 'Bob\t<bob@x.test>', ['Bob', 'bob@x.test']),
  one('spaces inside the angle brackets', 'RFC 5322 section 3.4, CFWS', 'Bob < bob@x.test >', [
    'Bob',
    'bob@x.test',
  ]),
  [
    'a list over several lines',
    'RFC 5322 section 2.2.3',
    ['bob@x.test,', ' Carl', ' <carl@x.test>,', '\tdora@x.test'],
    [
      ['', 'bob@x.test'],
      ['Carl', 'carl@x.test'],
      ['', 'dora@x.test'],
    ],
  ],
  [
    'a quoted name over two lines',
    'RFC 5322 section 3.2.4',
    ['"Bob', ' Builder" <bob@x.test>'],
    [['Bob Builder', 'bob@x.test']],
  ],
  // RFC 5322 appendix A
  one(
    'appendix A.1.2',
    'RFC 5322 appendix A.1.2',
    'Mary Smith <mary@x.test>, jdoe@example.org, Who? <one@y.test>',
    ['Mary Smith', 'mary@x.test'],
    ['', 'jdoe@example.org'],
    ['Who?', 'one@y.test'],
  ),
  one(
    'appendix A.1.2, with quotes',
    'RFC 5322 appendix A.1.2',
    '<boss@nil.test>, "Giant; \\"Big\\" Box" <sysservices@example.net>',
    ['', 'boss@nil.test'],
    ['Giant; "Big" Box', 'sysservices@example.net'],
  ),
  one(
    'appendix A.1.3',
    'RFC 5322 appendix A.1.3',
    'A Group:Ed Jones <joe@where.test>,John <jdoe@one.test>;',
    ['Ed Jones', 'joe@where.test'],
    ['John', 'jdoe@one.test'],
  ),
  one(
    'appendix A.5',
    'RFC 5322 appendix A.5',
    "A Group(Some people):Chris Jones <c@(Chris's host.)public.example>;",
    ['Chris Jones', 'c@public.example'],
  ),
  one(
    'appendix A.6.1',
    'RFC 5322 appendix A.6.1',
    'Mary Smith <@node.test:mary@example.net>, , jdoe@test . example',
    ['Mary Smith', 'mary@example.net'],
    ['', 'jdoe@test.example'],
  ),
]

corpus('addresses', [
  ...rows.map(([title, says, value, people]) => ({
    title,
    says,
    message: to(...value),
    expected: { to: [...people] },
  })),
  {
    title: 'a thousand recipients',
    says: 'RFC 5322 section 3.6.3 has no limit',
    message: to(Array.from({ length: 1000 }, (_, i) => `p${i}@x.test`).join(',\r\n ')),
    expected: { to: Array.from({ length: 1000 }, (_, i): Person => ['', `p${i}@x.test`]) },
  },
])
