import { corpus, lines, utf8 } from './_corpus.ts'

const withSubject = (...subject: string[]): string =>
  lines('From: ada@x.test', `Subject: ${subject.join('\r\n')}`, '', 'Hello')

corpus('encoded words', [
  // The table of RFC 2047 section 8, without its parentheses, with the decoded octets.
  ...(
    [
      ['one word', ['=?ISO-8859-1?Q?a?='], 'a'],
      ['a word and a text', ['=?ISO-8859-1?Q?a?= b'], 'a b'],
      ['a text and a word', ['a =?ISO-8859-1?Q?b?='], 'a b'],
      ['the space between two words is removed', ['=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?='], 'ab'],
      ['two spaces between two words are removed', ['=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?='], 'ab'],
      ['the fold between two words is removed', ['=?ISO-8859-1?Q?a?=', '    =?ISO-8859-1?Q?b?='], 'ab'],
      ['an underscore is a space', ['=?ISO-8859-1?Q?a_b?='], 'a b'],
      ['a space between words is written in one of them', ['=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?='], 'a b'],
    ] as const
  ).map(([title, subject, says]) => ({
    title,
    says: 'RFC 2047 section 8',
    message: withSubject(...subject),
    expected: { subject: says },
  })),
  ...(
    [
      ['Q with escapes', '=?utf-8?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße', 'section 4.2'],
      ['Q in small letters', '=?utf-8?q?gr=c3=bc=c3=9fe?=', 'grüße', 'section 4.2, robust'],
      ['B', '=?utf-8?B?R3LDvMOfZQ==?=', 'Grüße', 'section 4.1'],
      ['B in small letters', '=?UTF-8?b?R3LDvMOfZSE=?=', 'Grüße!', 'section 2'],
      ['B without padding', '=?utf-8?B?R3LDvMOfZQ?=', 'Grüße', 'section 4.1, robust'],
      ['an escaped underscore', '=?utf-8?Q?a=5Fb?=', 'a_b', 'section 4.2 rule 2'],
      ['an escaped question mark', '=?utf-8?Q?who=3F?=', 'who?', 'section 4.2 rule 3'],
      ['an escaped equals sign', '=?utf-8?Q?1+1=3D2?=', '1+1=2', 'section 4.2 rule 3'],
      ['an escaped space', '=?utf-8?Q?a=20b?=', 'a b', 'section 4.2 rule 2'],
      ['a language', '=?utf-8*en?Q?Hello?=', 'Hello', 'as RFC 2231 section 5 extends it'],
      ['words in two charsets', '=?utf-8?Q?=C3=BC?= =?koi8-r?Q?=F0?=', 'üП', 'section 6.2'],
      ['a word in each encoding', '=?utf-8?Q?=C3=BC?= =?utf-8?B?w58=?=', 'üß', 'section 6.2'],
      ['text between words keeps its spaces', '=?utf-8?Q?a?= b =?utf-8?Q?c?=', 'a b c', 'section 6.2'],
      [
        'a character that two words share',
        '=?utf-8?Q?=F0=9F=8E?= =?utf-8?Q?=89?=',
        '🎉',
        'section 5 forbids it, mailers do it',
      ],
      [
        'a character that two words in B share',
        '=?utf-8?B?8J+O?= =?utf-8?B?iQ==?=',
        '🎉',
        'section 5 forbids it, mailers do it',
      ],
      [
        'shifts in each word',
        '=?iso-2022-jp?B?GyRCJDMbKEI=?= =?iso-2022-jp?B?GyRCJHMbKEI=?=',
        'こん',
        'section 3',
      ],
      ['an apostrophe and other characters', "=?utf-8?Q?it's_100%_(ok)?=", "it's 100% (ok)", 'section 5 (1)'],
      [
        'a word longer than 75 characters',
        `=?utf-8?Q?${'=C3=BC'.repeat(200)}?=`,
        'ü'.repeat(200),
        'section 2, robust',
      ],
      ['a rare charset', '=?iso-8859-15?Q?5_=A4?=', '5 €', 'section 3'],
    ] as const
  ).map(([title, subject, says, section]) => ({
    title,
    says: `RFC 2047 ${section}`,
    message: withSubject(subject),
    expected: { subject: says },
  })),
  // Everything else is shown as it is.
  ...(
    [
      ['an encoding that is unknown', '=?utf-8?X?abc?='],
      ['a charset that is unknown', '=?x-nobody-knows?Q?a=FCb?='],
      ['no end', '=?utf-8?Q?abc'],
      ['no text and no end', '=?utf-8?Q?'],
      ['no encoding', '=?utf-8?abc?='],
      ['no charset', '=??Q?abc?='],
      ['an escape that is broken', '=?utf-8?Q?a=ZZb?='],
      ['an escape that is cut', '=?utf-8?Q?a=4?='],
      ['characters that are not base64', '=?utf-8?B?####?='],
      ['only its beginning', '=?'],
      ['only its end', 'a?='],
      ['an equals sign and a question mark apart', '= ? utf-8 ? Q ? a ? ='],
      ['two encodings', '=?utf-8?QB?abc?='],
    ] as const
  ).map(([title, subject]) => ({
    title: `a word with ${title} is shown as written`,
    says: 'RFC 2047 section 6.3',
    message: withSubject(subject),
    expected: { subject },
  })),
  {
    title: 'a broken word does not affect a valid one next to it',
    says: 'RFC 2047 section 6.3',
    message: withSubject('=?utf-8?Q?a=ZZ?= =?utf-8?Q?=C3=BC?='),
    expected: { subject: '=?utf-8?Q?a=ZZ?= ü' },
  },
  {
    title: 'raw UTF-8 inside a word',
    says: 'project: RFC 2047 section 2 forbids it, mailers do it',
    message: withSubject(`=?utf-8?Q?${utf8('Grüße')}_=E2=82=AC?=`),
    expected: { subject: 'Grüße €' },
  },
  {
    title: 'raw Latin-1 inside a word in Latin-1',
    says: 'project: RFC 2047 section 2 forbids it, mailers do it',
    message: withSubject('=?iso-8859-1?Q?Gr\xfc\xdfe?='),
    expected: { subject: 'Grüße' },
  },
  ...(
    [
      ['UTF-8 in a word, Latin-1 behind it', `=?utf-8?Q?caf${utf8('é')}?= f\xfcr`, 'café für'],
      ['UTF-8 in a word, Latin-1 before it', `f\xfcr =?utf-8?Q?caf${utf8('é')}?=`, 'für café'],
      ['UTF-8 before a word, Latin-1 behind it', `${utf8('é')} =?utf-8?Q?a?= \xfc`, 'é a ü'],
      ['UTF-8 before a word, Latin-1 in it', `${utf8('é')} =?iso-8859-1?Q?\xfc?=`, 'é ü'],
      ['UTF-8 and Latin-1 in words', `=?utf-8?Q?${utf8('é')}?= =?iso-8859-1?Q?\xfc?= b`, 'éü b'],
      ['a word in B, Latin-1 behind it', '=?utf-8?B?w6k=?= f\xfcr', 'é für'],
      ['a word in B, UTF-8 before it, Latin-1 behind it', `${utf8('é')} =?koi8-r?B?8A==?= \xfc`, 'é П ü'],
      ['KOI8-R in a word, UTF-8 behind it', `=?koi8-r?Q?\xd0\xd2?= ${utf8('é')}`, 'пр é'],
      ['KOI8-R in a word, in octets that UTF-8 has too', '=?koi8-r?Q?\xc3\xa9?=', 'ц╘'],
      ['Latin-1 in a word, in octets that UTF-8 has too', '=?iso-8859-1?Q?\xc3\xa9?=', 'Ã©'],
      ['Shift_JIS in a word, Latin-1 behind it', '=?shift_jis?Q?\x93\xfa?= \xfc', '日 ü'],
      ['Shift_JIS in a word, UTF-8 behind it', `=?shift_jis?Q?\x93\xfa?= ${utf8('é')}`, '日 é'],
      ['GB 18030 in a word, in octets that UTF-8 has too', '=?gb18030?Q?\xe4\xbd\xa0\xe5?=', '浣犲'],
      ['an octet that is a space in Latin-1', `=?utf-8?Q?voil${utf8('à')}?= \xfc`, 'voilà ü'],
      [
        'a broken word with UTF-8, Latin-1 behind it',
        `=?utf-8?Q?=Z${utf8('é')}?= \xfc`,
        '=?utf-8?Q?=ZÃ©?= ü',
      ],
      [
        'a word in an unknown charset with UTF-8, Latin-1 behind another',
        `=?x-nope?Q?${utf8('é')}?= =?utf-8?Q?a?= \xfc`,
        '=?x-nope?Q?é?= a ü',
      ],
    ] as const
  ).map(([title, subject, says]) => ({
    title: `raw octets: ${title}`,
    says: 'project: RFC 2047 section 2 and RFC 6532 section 3.2, each word and each text between words for itself',
    message: withSubject(subject),
    expected: { subject: says },
  })),
  {
    title: 'raw octets: UTF-8 on a line, Latin-1 on the next',
    says: 'project: line by line outside of words',
    message: withSubject(`=?utf-8?Q?${utf8('é')}?= ${utf8('é')} =?utf-8?Q?${utf8('💀')}?=`, ' \xfc'),
    expected: { subject: 'é é 💀 ü' },
  },
  {
    title: 'raw octets: UTF-8 in the word of a name, Latin-1 in the name beside it',
    says: 'project: RFC 2047 section 2 and RFC 6532 section 3.2, each name for itself',
    message: lines(
      'From: a@x.test',
      `To: =?utf-8?Q?J${utf8('ö')}rg?= <j@x.test>, "B\xfcrger, \xc4" <b@x.test>, ${utf8('Zoë')} <z@x.test>`,
      `Cc: ${utf8('jörg')}@x.test, =?iso-8859-1?Q?\xc3\xa9?= <k@x.test>, \xfc <u@x.test>`,
      'Subject: s',
      '',
      'Hello',
    ),
    expected: {
      to: [
        ['Jörg', 'j@x.test'],
        ['Bürger, Ä', 'b@x.test'],
        ['Zoë', 'z@x.test'],
      ],
      cc: [
        ['', 'jörg@x.test'],
        ['Ã©', 'k@x.test'],
        ['ü', 'u@x.test'],
      ],
    },
  },
  {
    title: 'a space inside a word, as some programs write it',
    says: 'project: RFC 2047 section 2 forbids it, it is read all the same',
    message: withSubject('=?utf-8?Q?Gr=C3=BC=C3=9Fe an alle?='),
    expected: { subject: 'Grüße an alle' },
  },
  {
    title: 'raw UTF-8 next to a word',
    says: 'RFC 6532 section 3.2',
    message: withSubject(`${utf8('Grüße')} =?utf-8?Q?=E2=82=AC?=`),
    expected: { subject: 'Grüße €' },
  },
  {
    title: 'octets that the charset does not have',
    says: 'Unicode section 3.9, U+FFFD substitution',
    message: withSubject('=?utf-8?Q?a=FFb?='),
    expected: { subject: 'a\ufffdb' },
  },
  {
    title: 'words folded over three lines',
    says: 'RFC 2047 section 2',
    message: withSubject('=?utf-8?Q?one_?=', ' =?utf-8?Q?two_?=', '\t=?utf-8?Q?three?='),
    expected: { subject: 'one two three' },
  },
  {
    title: 'a word on the next line of a subject whose first line is empty',
    says: 'RFC 5322 section 2.2.3',
    message: withSubject('', ' =?utf-8?Q?=C3=BC?='),
    expected: { subject: 'ü' },
  },
  {
    title: 'a word in a display name',
    says: 'RFC 2047 section 5 (3)',
    message: lines('From: =?utf-8?Q?J=C3=B6rg?= <j@x.test>', 'Subject: s', '', 'Hello'),
    expected: { from: [['Jörg', 'j@x.test']] },
  },
  {
    title: 'words in a display name, joined',
    says: 'RFC 2047 section 6.2',
    message: lines(
      'From: =?utf-8?Q?J=C3=B6rg_?= =?utf-8?Q?M=C3=BCller?= <j@x.test>',
      'Subject: s',
      '',
      'Hello',
    ),
    expected: { from: [['Jörg Müller', 'j@x.test']] },
  },
  {
    title: 'a comma inside a word separates no addresses',
    says: 'RFC 2047 section 5 (3), decoded after the field is parsed',
    message: lines('From: =?utf-8?Q?M=C3=BCller=2C_J?= <j@x.test>', 'Subject: s', '', 'Hello'),
    expected: { from: [['Müller, J', 'j@x.test']] },
  },
  {
    title: 'an address inside a word is a name, not an address',
    says: 'RFC 2047 section 5, words must not appear in an addr-spec',
    message: lines('From: =?utf-8?Q?eve=40evil.test?= <ada@x.test>', 'Subject: s', '', 'Hello'),
    expected: { from: [['eve@evil.test', 'ada@x.test']] },
  },
  {
    title: 'a line break inside a word ends no field',
    says: 'RFC 2047 section 5, decoded after the fields are taken apart',
    message: withSubject('=?utf-8?Q?a=0D=0ABcc:_eve=40evil.test?='),
    expected: { subject: 'a\r\nBcc: eve@evil.test' },
  },
  {
    title: 'a word in an unknown field',
    says: 'RFC 2047 section 5 (1)',
    message: lines('From: ada@x.test', 'X-Note: =?utf-8?Q?=C3=BC?= b', '', 'Hello'),
    expected: { headers: { 'X-Note': 'ü b' } },
  },
])
