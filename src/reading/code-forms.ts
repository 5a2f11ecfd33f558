// The forms of one-time codes; `codes.ts` says where each counts.

/** Currencies that are written before an amount or after it. */
const currencies = 'USD|EUR|GBP|PLN|TRY'
const notAfter = [
  // A word before a time: "until 1830".
  '(?<!\\p{L})(?:at|until|till|from|um|bis|vers) ',
  // The rest of a word, number or address, a currency, a plus, a hash, or the asterisks of a card number.
  '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{M}\\d_.,+#$€£¥₹₽%/*•=&@?-]',
  // A currency and a space.
  '[$€£¥₹₽] ',
  `(?:${currencies}|JPY|BRL) `,
].join('|')
const notBefore = [
  // The rest of a word, number or address, a percent sign, or a currency.
  '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{M}\\d_%€£₹₽/@=-]',
  // The rest of a decimal or a time.
  '[.,:]\\d',
  // A currency or a unit, also after a space.
  ` ?(?:[€£₽円元원]|(?:${currencies}|zł|TL)\\b)`,
  ' ?(?:min|sec|Min|Sek|hours?|people|characters|words|tokens|points|credits|items|users|times|[KMG]B|px|km|kg)\\b',
].join('|')
const before = `(?<!${notAfter})`
const after = `(?!${notBefore})`

/** What stands between the word for a code and the code. */
const verbs = 'is|ist|lautet|est|es|é|è|jest|är|er'
const verbsWithoutSpaces = '是|为|為|は'

/** Codes of digits. A prefix before six of them names the sender (G-123456); before five it belongs to a postal code. */
export const digitCodes: RegExp = new RegExp(
  `${before}(?:[A-Z]{1,3}-(?=\\d{6}))?(\\d{3}[ -]\\d{3}|\\d{4}[ -]\\d{4}|\\d{4,8}|\\d(?: \\d){3,7})${after}`,
  'gu',
)

/** Codes of capital letters and digits. */
export const letterCodes: RegExp = new RegExp(
  `${before}((?=[A-Z0-9-]{0,12}\\d)(?=[A-Z0-9-]{0,12}[A-Z])[A-Z0-9]{3,5}-?[A-Z0-9]{3,5})${after}`,
  'gu',
)

/** What introduces a code: a colon or a verb. */
const introduction = `[:：] ?|(?<!\\p{L})(?:${verbs}) |(?:${verbsWithoutSpaces}) ?`

/** Codes with letters in mixed case, which count only after an introduction: `code: x7Kp2q`. */
export const introducedCodes: RegExp = new RegExp(
  [
    `(?:${introduction})((?=[a-zA-Z]{0,9}\\d)(?=\\d{0,9}[a-zA-Z])[a-zA-Z0-9]{4,10}|[A-Z]{4}-[A-Z]{4})${after}`,
    `(?<!\\p{L})(?:[Cc]ode|CODE|[Cc]ódigo|[Cc]odice|[Kk]od(?: to)?|[Кк]од(?: —)?) ((?=[a-zA-Z]{0,9}\\d)(?=[a-z\\d]{0,9}[A-Z])[a-zA-Z0-9]{4,10}|[A-Z]{4}-[A-Z]{4})${after}`,
  ].join('|'),
  'gu',
)

/** A line that introduces what is below it. */
export const endsInIntroduction: RegExp = new RegExp(
  `(?:[:：]|(?<!\\p{L})(?:${verbs})|${verbsWithoutSpaces})$`,
  'u',
)

/** A year, which is no code unless it is introduced as one. */
export const yearForm: RegExp = /^(?:19|20)\d\d$/

/** Numbers that look like a year, but are introduced as the code. */
export const introducedYears: RegExp =
  /(?:\bis|:|：)\s{0,4}((?:19|20)\d\d)\b|\b((?:19|20)\d\d) (?:is your|ist (?:dein|ihr)|est votre|es (?:tu|su)|é o s[eu]{2}|è il tuo)/gi

/** Codes in pairs of digits, which may be a date or part of a phone number: they count only after an introduction. */
export const pairCodes: RegExp =
  /(?:[:：] ?|\b(?:is|est|es|lautet|ist) )(\d\d([ -])\d\d\2\d\d)(?![ .-]?\d|[\p{L}/€])/gu
/** A date in pairs of digits: `31-12-26` or `26-12-31`. */
export const dateOfPairs: RegExp =
  /^(?:[0-2]\d|3[01])-(?:0\d|1[0-2])-\d\d$|^\d\d-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])$/

/** Phone numbers (several groups of digits, or digits after a plus) and dates. */
export const phoneOrDate: RegExp =
  /\+\d[\d ().-]{6,}\d|\(?\d{2,4}\)?(?:[ .-]\(?\d{2,5}\)?){2,}|(?<!\d)0\d{2,4}[ /-]\d{5,8}(?!\d)|(?<!\d)\d{4}-\d\d-\d\d(?!\d)/g

/** A code that is alone on its line. */
export const loneCode: RegExp = new RegExp(
  [
    '^(?:[A-Z]{1,3}-)?(\\d{3}[ -]\\d{3}|\\d{4}[ -]\\d{4}|\\d\\d \\d\\d \\d\\d|\\d{4,8}|\\d(?: \\d){3,7})[.#]?$',
    '^((?=.*\\d)(?=.*[A-Z])(?:[A-Z0-9]{5}|[A-Z0-9]{3,5}-?[A-Z0-9]{3,5}))[.]?$',
    '^((?=.*\\d)(?=.*[a-z])[a-z0-9]{4,6}-[a-z0-9]{4,6}|[a-z]{4,6}(?:-[a-z]{4,6}){3})[.]?$',
    '^([A-Z]{4}-[A-Z]{4}|[A-Z0-9](?: [A-Z0-9]){5,7})[.]?$',
  ].join('|'),
)

/** The same with letters in mixed case, below an introduction. */
export const introducedLoneCode: RegExp = /^((?=[a-zA-Z]*\d)(?=\d*[a-zA-Z])[a-zA-Z0-9]{4,10})[.]?$/

/** Quotation marks, brackets and the like around a code that is alone on its line. */
export const surroundingMarks: RegExp =
  /^["'“”„«「『【〔[({<《〈]+ ?|(?<! ) ?["'“”»」』】〕\])}>》〉]{1,28}$/g
