import { corpus, lines, type Expected } from './_corpus.ts'

corpus(
  'fields of addresses',
  (
    [
      [
        'the four fields of people',
        'RFC 5322 sections 3.6.2 and 3.6.3',
        ['From: A <a@x.test>', 'To: B <b@x.test>', 'Cc: C <c@x.test>', 'Reply-To: D <d@x.test>'],
        {
          from: [['A', 'a@x.test']],
          to: [['B', 'b@x.test']],
          cc: [['C', 'c@x.test']],
          reply_to: [['D', 'd@x.test']],
        },
      ],
      [
        'two authors, and who sent it',
        'RFC 5322 section 3.6.2',
        ['From: a@x.test, b@x.test', 'Sender: c@x.test'],
        {
          from: [
            ['', 'a@x.test'],
            ['', 'b@x.test'],
          ],
        },
      ],
      [
        'two To fields, which are read as one',
        'project: RFC 5322 section 3.6 allows one',
        ['From: a@x.test', 'To: b@x.test', 'To: c@x.test'],
        {
          to: [
            ['', 'b@x.test'],
            ['', 'c@x.test'],
          ],
        },
      ],
      [
        'no To',
        'RFC 5322 section 3.6',
        ['From: a@x.test', 'Cc: c@x.test'],
        { to: [], cc: [['', 'c@x.test']] },
      ],
      [
        'an empty To',
        'project: RFC 5322 section 3.6.3 wants an address',
        ['From: a@x.test', 'To:', 'Cc: d@x.test'],
        { to: [], cc: [['', 'd@x.test']] },
      ],
      [
        'fields in capitals',
        'RFC 5322 section 1.2.2',
        ['FROM: a@x.test', 'TO: b@x.test', 'CC: c@x.test'],
        { from: [['', 'a@x.test']], to: [['', 'b@x.test']], cc: [['', 'c@x.test']] },
      ],
    ] satisfies [string, string, string[], Expected][]
  ).map(([title, says, header, expected]) => ({
    title,
    says,
    message: lines(...header, '', 'Hello'),
    expected,
  })),
)
