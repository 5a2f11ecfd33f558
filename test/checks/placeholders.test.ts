import { describe, expect, it } from 'vitest'
import {
  beginsWithPlaceholder,
  findPlaceholders,
  unrenderedPlaceholders,
} from '../../src/checks/placeholders.ts'

const inHtml = (html: string): string[] => unrenderedPlaceholders({ subject: '', text: '', html })

/** What templates leave, by the language that has it. */
const left: readonly [language: string, html: string, found: string[]][] = [
  ['Mustache', 'Hi {{ name }}, {{name}}', ['{{ name }}', '{{name}}']],
  ['Handlebars', '{{#if a}}{{{html}}}{{/if}}', ['{{#if a}}', '{{{html}}}', '{{/if}}']],
  ['Liquid', '{% if a %}x{% endif %}', ['{% if a %}', '{% endif %}']],
  ['ERB', '<%= name %> &lt;%= other %&gt;', ['<%= name %>', '&lt;%= other %&gt;']],
  ['PHP', '<?= $name ?> <?php echo $name ?>', ['<?= $name ?>', '<?php echo $name ?>']],
  ['JavaScript', 'Dear ${user.name}, [object Object]', ['${user.name}', '[object Object]']],
  ['Ruby', '#{user.name} %{first_name}', ['#{user.name}', '%{first_name}']],
  ['Blade', '{!! $name !!}', ['{!! $name !!}']],
  ['Salesforce', '{!Contact.FirstName} {!firstname}', ['{!Contact.FirstName}', '{!firstname}']],
  ['Python', 'Dear %(name)s, you have %(count)d', ['%(name)s', '%(count)d']],
  ['gettext', 'Dear %1$s, order %2$d', ['%1$s', '%2$d']],
  ['Mailgun', '%recipient.first_name%', ['%recipient.first_name%']],
  ['Mailchimp', '*|FNAME|* *|DATE:d/m/y|* *|IF:A=b|*', ['*|FNAME|*', '*|DATE:d/m/y|*', '*|IF:A=b|*']],
  [
    'Marketing Cloud',
    '%%FirstName%% %%first_name%% %%=v(@name)=%%',
    ['%%FirstName%%', '%%first_name%%', '%%=v(@name)=%%'],
  ],
  [
    'GetResponse',
    '[[name]] [[ first_name ]] [[user.name]] [[firstName]]',
    ['[[name]]', '[[ first_name ]]', '[[user.name]]', '[[firstName]]'],
  ],
  ['Constant Contact', '[[FIRSTNAME OR "friend"]] [[EMAIL]]', ['[[FIRSTNAME OR "friend"]]', '[[EMAIL]]']],
  ['Mailjet', '[[data:firstname:""]] [[var:code]]', ['[[data:firstname:""]]', '[[var:code]]']],
  ['Template Toolkit', '[% user.name %] [%name%]', ['[% user.name %]', '[%name%]']],
  ['Template Toolkit that trims', '[%- IF user.is_new -%]', ['[%- IF user.is_new -%]']],
  ['Search and replace', 'Dear @@name@@, @@ORDER_ID@@', ['@@name@@', '@@ORDER_ID@@']],
]

/** What mails show on purpose. */
const shown: readonly [kind: string, html: string][] = [
  ['braces', '100% {a} $5 {{}} a{b{c}} {{\n}}'],
  ['styles', '<style>@media x{p{color:red}}a[href]{b:c}#id{width:100%}</style>'],
  ['comments of Outlook', '<!--[if mso]><xml></xml><![endif]--><!--[if !mso]><!-->x<!--<![endif]-->'],
  ['a declaration of XML', '<?xml version="1.0" encoding="UTF-8"?>'],
  ['links of a wiki', '[[Home]] [[Main Page]] [[Main_Page]] [[User:Ada|Ada]] ![[image.png]]'],
  ['arrays and indexes', '[[1, 2], [3, 4]] rows[[index]] [[a], [b]] [[x]]'],
  ['tests of a shell', 'if [[ -f file ]]; then echo $HOME ${1}; fi'],
  ['a difference of two files', '@@ -1,7 +1,7 @@ line'],
  ['addresses', 'ada@@example.com <a href="/?q=%20name%20">50%%off%% 5%%</a>'],
  ['formats of a log', '%{Referer}i %s %d 100%1$'],
  ['emphasis', '*bold* |a|b| *| a |b !important {!}'],
  ['environment variables', '%PATH% %APPDATA%'],
  ['a table of contents, attributes of C++', '[[toc]] [[TOC]] [[nodiscard]] int f(); [[maybe_unused]]'],
  ['percentages', '[% change vs 10%] [%] 100%(of)s'],
  ['code', '.a{!ie} a[b]{!ie} f(){!ie}'],
  ['tables', '*| Total, net |* *|-|*'],
]

describe('placeholders that are left', () => {
  it.each(left)('of %s', (_, html, found) => {
    expect(inHtml(html)).toEqual(found)
  })

  it.each(shown)('are not %s', (_, html) => {
    expect(inHtml(html)).toEqual([])
  })

  it.each(left)('of %s begin an address that another check leaves out', (_, html, [first = '']) => {
    expect(beginsWithPlaceholder(`${first}/path`)).toBe(true)
    expect(beginsWithPlaceholder(`https://example.com/${first}`)).toBe(false)
    expect(html).toContain(first)
  })

  it('have their part and place, the subject first', () => {
    const mail = { subject: 'Hi [[name]]', text: 'Dear [[name]], %%code%%', html: '' }
    expect(findPlaceholders(mail)).toEqual([
      { written: '[[name]]', part: 'subject', offset: 3 },
      { written: '%%code%%', part: 'text', offset: 15 },
    ])
  })
})
