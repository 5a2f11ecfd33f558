/**
 * The placeholders that were not filled in: in subject, text or HTML, as written, each once, in order of appearance.
 * Those are `{{ name }}`, and the forms of other languages: `{% if %}`, `<%= name %>`, `<?= name ?>`, `${name}`, `[[name]]`,
 * `[% name %]`, `%%name%%`, `@@name@@`, `%recipient.name%`, `*|NAME|*`, `#{name}`, `%{name}`, `%(name)s`, `%1$s`, `{!name}`,
 * `{!! name !!}`; and `[object Object]`.
 *
 * @returns At most 100; only the first 1 MB of each part is searched.
 */
export function unrenderedPlaceholders(mail: Bodies): string[] {
  return findPlaceholders(mail).map(({ written }) => written)
}

/** The parts of a mail that show placeholders. */
interface Bodies {
  subject: string
  text: string
  html: string
}

/** A placeholder where it appears first. */
export interface PlacedPlaceholder {
  written: string
  part: keyof Bodies
  offset: number
}

/** {@link unrenderedPlaceholders} with their places. */
export function findPlaceholders(mail: Bodies): PlacedPlaceholder[] {
  const found = new Map<string, PlacedPlaceholder>()
  for (const part of ['subject', 'text', 'html'] as const) {
    for (const { 0: written, index: offset } of mail[part].slice(0, maxSearchedChars).matchAll(placeholder)) {
      if (found.size >= maxFound) return [...found.values()]
      if (!found.has(written)) found.set(written, { written, part, offset })
    }
  }
  return [...found.values()]
}

const maxSearchedChars = 1_000_000
const maxFound = 100

/**
 * The forms of the placeholders of all languages; the list above has an example of each. They match more than is rendered: a
 * name with an invalid character is never filled in. They are strings, because `npm run patterns` reads those that are joined.
 * All lengths are limited, so that a mail full of opening braces takes linear time.
 */
const forms = [
  // Localpost, Handlebars, Mustache, Liquid, Jinja, Twig.
  '\\{\\{\\{?[^{}\\n<>]{1,100}\\}?\\}\\}',
  '\\{%[^{}\\n<>]{1,100}%\\}',
  // ERB, EJS, ASP; PHP.
  '(?:<|&lt;)%[^<>\\n]{1,100}%(?:>|&gt;)',
  '(?:<|&lt;)\\?(?:php |=)[^<>\\n]{1,100}\\?(?:>|&gt;)',
  // Template strings, Velocity, FreeMarker.
  '\\$\\{[A-Za-z_][\\w.]{0,60}\\}',
  // Ruby, Pug.
  '#\\{[A-Za-z_@][\\w.]{0,60}\\}',
  // Translations of Ruby.
  '%\\{[a-z_]\\w{1,60}\\}',
  // Blade.
  '\\{!![^{}\\n<>!]{1,100}!!\\}',
  // Salesforce, AWeber.
  '(?<![\\w\\])])\\{![A-Za-z_][\\w.]{1,60}\\}',
  // Python and gettext.
  '(?<!\\d)%\\([a-z_]\\w{0,60}\\)[sd](?!\\w)',
  '%\\d\\$[sd](?!\\w)',
  // Mailgun.
  '%recipient\\.[\\w.-]{1,60}%',
  // Mailchimp.
  '\\*\\|\\w(?:[\\w:. /,=-]{0,58}\\w)?\\|\\*',
  // Salesforce Marketing Cloud.
  '(?<![\\w%])%%=?[A-Za-z_][\\w.() @-]{1,60}=?%%(?![\\w%])',
  // GetResponse, Constant Contact, Mailjet. Links of a wiki begin with a capital letter; code has attributes (C++), and
  // indexes in brackets.
  '(?<![\\w!\\])[])\\[\\[(?!(?:toc|TOC|nodiscard|noreturn|deprecated|fallthrough|likely|unlikely|maybe_unused)\\]) ?(?:(?:data|var):[\\w:.&;"\' -]{1,80}|[a-z_][\\w.-]{1,60}|[A-Z][A-Z\\d_]{1,60}(?: OR [^[\\]\\n<>]{1,60})?) ?\\]\\](?!\\])',
  // Template Toolkit.
  '\\[%(?:[-+=~]? [^%[\\]\\n<>]{1,100} [-+=~]?|[A-Za-z_][\\w.]{0,60})%\\]',
  // Programs that search and replace.
  '(?<![\\w@])@@[A-Za-z_][\\w.-]{1,60}@@(?![\\w@])',
  // What JavaScript writes for an object.
  '\\[object Object\\]',
].join('|')
const placeholder = new RegExp(forms, 'g')
const atStart = new RegExp(`^(?:${forms})`)
/** More than the longest form. */
const startChars = 200

/** Whether a text begins with a placeholder, or with braces of one: what is inside these may be long, or any expression. */
export const beginsWithPlaceholder = (text: string): boolean =>
  /^(?:\{\{|\{%|<%)/.test(text) || atStart.test(text.slice(0, startChars))
